-- Which package names are a deployment's own, so that nobody else is asked for them or told of them.

-- What owners and admins say.
create table package_claim (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  ecosystem text collate "C" not null,
  -- In lower case: a name, or the beginning of names with a star behind it.
  pattern text collate "C" not null,
  -- The registry that has them, or null: nobody is asked. No foreign key: a claim outlives the entry of its registry.
  registry_id bigint,
  reason text not null,
  person_id bigint not null,
  created_at timestamptz(3) not null default statement_timestamp(),
  primary key (deployment_id, id)
);
create unique index package_claim_pattern on package_claim (deployment_id, ecosystem, pattern);
call protect_tenant_table('package_claim');

-- A registry that was seen to have names. It outlives its entry, and is known again by its address.
create table package_owner (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  ecosystem text collate "C" not null,
  registry_id bigint not null,
  url text collate "C" not null,
  -- How many names it has; there is a limit.
  names integer not null default 0,
  primary key (deployment_id, id)
);
create unique index package_owner_url on package_owner (deployment_id, ecosystem, url);
call protect_tenant_table('package_owner');

-- What was seen: a name belongs to the registry that had it first, also when it has it no longer.
create table owned_package (
  deployment_id bigint not null references deployment (id) on delete cascade,
  ecosystem text collate "C" not null,
  -- In lower case; `spelling` is as it was asked for.
  name text collate "C" not null,
  spelling text collate "C" not null,
  id bigint generated always as identity,
  owner_id bigint not null,
  seen_at timestamptz(3) not null default statement_timestamp(),
  primary key (deployment_id, ecosystem, name)
);
create unique index owned_package_id on owned_package (deployment_id, id);
create index owned_package_owner on owned_package (deployment_id, owner_id, id);
call protect_tenant_table('owned_package');
