-- Which tokens of which CI systems a deployment takes, and what those may do. They act as a service account.
create table ci_trust (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  name text not null,
  person_id bigint not null,
  provider text not null check (provider in ('github', 'gitlab', 'other')),
  issuer text not null,
  audience text not null,
  -- [{"claim": "repository_owner_id", "values": ["1"]}]: all of them hold, each by one of its values.
  conditions jsonb not null,
  -- For providers that are not known by themselves: which claims hold the repository and the ref.
  repository_claim text not null,
  ref_claim text not null,
  permissions text[] not null,
  created_by bigint not null,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  version bigint not null default 1,
  primary key (deployment_id, id),
  foreign key (deployment_id, person_id) references service_account (deployment_id, person_id) on delete cascade
);
create unique index ci_trust_name on ci_trust (deployment_id, lower(name));
create index ci_trust_issuer on ci_trust (deployment_id, issuer);
create index ci_trust_account on ci_trust (deployment_id, person_id);
call protect_tenant_table('ci_trust');

-- Names change hands, ids do not: the first repository that came with a name keeps it, for this trust.
create table ci_repository (
  deployment_id bigint not null,
  trust_id bigint not null,
  name text not null,
  external_id text not null,
  primary key (deployment_id, trust_id, name),
  foreign key (deployment_id, trust_id) references ci_trust on delete cascade
);
call protect_tenant_table('ci_repository');

alter table api_token
  -- The trust that it came by; it ends with it.
  add column trust_id bigint,
  -- What the verified claims said: {"repository", "ref", "commit", "pullRequest", "baseRef"}. Null: bound to nothing.
  add column bound jsonb,
  add constraint api_token_bound check ((trust_id is null) = (bound is null)),
  add foreign key (deployment_id, trust_id) references ci_trust (deployment_id, id) on delete cascade;
create index api_token_trust on api_token (deployment_id, trust_id, expires_at) where trust_id is not null;
