-- Refresh tokens of one session form a family: each carries the session's secret, so that every old one is recognised.
-- Tokens of earlier sessions do not carry it, so those sessions end: people sign in once more.
delete from session;
drop index session_previous;
alter table session
  add column family_hash bytea not null unique,
  -- Where the last refresh came from: two tabs of one browser have the same address, a thief seldom has.
  add column refreshed_from text not null;
create index session_expiry on session (expires_at);

-- Attempts to guess a password, counted before it is looked at and given back when it was right. One row for each network,
-- account, pair of both, and session that changes its password.
create table sign_in_attempt (
  key text primary key,
  failed_at timestamptz[] not null,
  kept_until timestamptz not null
);
create index sign_in_attempt_age on sign_in_attempt (kept_until);
grant select, insert, update, delete on sign_in_attempt to gatehouse_identity;

-- Where a person has signed in: what strangers do elsewhere does not keep them out there.
create table known_network (
  person_id bigint not null references person (id) on delete cascade,
  network text not null,
  used_at timestamptz not null,
  primary key (person_id, network)
);
grant select, insert, update, delete on known_network to gatehouse_identity;

-- Failed sign-ins until they are told, summed up, so that nobody fills the audit log. Person 0: accounts that do not exist.
create table failed_sign_in (
  person_id bigint primary key,
  since timestamptz not null,
  failures integer not null,
  networks text[] not null
);
grant select, insert, update, delete on failed_sign_in to gatehouse_identity;

-- What happened to an account, on its way into the audit log of each deployment that the person belongs to: written with
-- the change itself by the identity role, which reaches no audit log, and moved there by the tenant role.
create table account_event (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  actor_id bigint not null,
  request_id text not null,
  action text not null,
  target text not null,
  detail jsonb not null,
  primary key (deployment_id, id)
);
create index account_event_order on account_event (id);
call protect_tenant_table('account_event');
revoke insert, update on account_event from gatehouse_app;
create policy identity on account_event to gatehouse_identity using (true) with check (true);
grant select, insert on account_event to gatehouse_identity;

-- A token that was made by a token falls with it.
alter table api_token
  add column parent_id bigint,
  add foreign key (deployment_id, parent_id) references api_token (deployment_id, id) on delete cascade;
create index api_token_parent on api_token (deployment_id, parent_id) where parent_id is not null;
