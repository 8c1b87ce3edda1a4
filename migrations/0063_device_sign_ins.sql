-- Programs without a browser that ask to be signed in, until a person says yes or no (RFC 8628). A row ends with its token.
create table device_sign_in (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  -- SHA-256 of what the program polls with, and of what the person types.
  device_hash bytea not null,
  code_hash bytea not null,
  -- code: a person types it; link: it came in an address, so it gets packages and nothing else.
  kind text not null check (kind in ('code', 'link')),
  client text not null,
  host_name text not null,
  address text not null,
  scopes text[] not null,
  days integer not null check (days between 1 and 365),
  asked_at timestamptz not null,
  expires_at timestamptz not null,
  polled_at timestamptz,
  state text not null default 'pending' check (state in ('pending', 'approved', 'denied')),
  person_id bigint,
  primary key (deployment_id, id),
  foreign key (deployment_id, person_id) references membership (deployment_id, person_id) on delete cascade,
  check ((state = 'pending') = (person_id is null)),
  check (kind = 'code' or scopes = array['packages:read'])
);
create unique index device_sign_in_device on device_sign_in (deployment_id, device_hash);
create unique index device_sign_in_code on device_sign_in (deployment_id, code_hash);
create index device_sign_in_end on device_sign_in (deployment_id, expires_at);
create index device_sign_in_person on device_sign_in (deployment_id, person_id);
call protect_tenant_table('device_sign_in');
