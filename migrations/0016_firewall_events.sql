-- What the firewall let through and what it refused. Built for tens of millions of requests: reports read counters of long and
-- short spans of time, and only the hours that a period cuts are read more finely. All of it moves in one transaction.

-- A version of a package that somebody asked for.
create table firewall_artifact (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  ecosystem text collate "C" not null,
  name text collate "C" not null,
  version text collate "C" not null,
  primary key (deployment_id, id)
);
create unique index firewall_artifact_name on firewall_artifact (deployment_id, name, version, ecosystem);
call protect_tenant_table('firewall_artifact');

-- The requests of one second as one process saw them, not a row a request: the milliseconds within the second, one of each.
-- Exact to the millisecond at two bytes a request.
create table firewall_second (
  deployment_id bigint not null references deployment (id) on delete cascade,
  at timestamptz(0) not null,
  ecosystem text collate "C" not null,
  id bigint generated always as identity,
  allowed smallint[] not null,
  blocked smallint[] not null,
  primary key (deployment_id, at, ecosystem, id)
);
call protect_tenant_table('firewall_second');

-- How many of them in each hour (h), day (d) and month (m), in UTC.
create table firewall_activity (
  deployment_id bigint not null references deployment (id) on delete cascade,
  grain "char" not null check (grain in ('h', 'd', 'm')),
  start timestamptz(0) not null,
  ecosystem text collate "C" not null,
  allowed bigint not null,
  blocked bigint not null,
  primary key (deployment_id, grain, start, ecosystem)
) with (fillfactor = 70);
call protect_tenant_table('firewall_activity');

-- Refusals. Equal ones of a millisecond share a row.
create table firewall_refusal (
  deployment_id bigint not null references deployment (id) on delete cascade,
  at timestamptz(3) not null,
  id bigint generated always as identity,
  artifact_id bigint not null,
  -- '' where no advisory and no override said that it is malicious: it was too young, or nothing could be said.
  advisory_id text collate "C" not null,
  person_id bigint not null,
  token_id bigint not null,
  count integer not null,
  primary key (deployment_id, at, id)
);
create index firewall_refusal_artifact on firewall_refusal (deployment_id, artifact_id, at);
call protect_tenant_table('firewall_refusal');

-- How often what is malicious was refused, in spans of 1, 4, 16, 64, 256 and 1024 hours since 1970: any period is a few dozen of
-- them, and each has a row only for what was refused in it.
create table firewall_blocked (
  deployment_id bigint not null references deployment (id) on delete cascade,
  hours smallint not null check (hours in (1, 4, 16, 64, 256, 1024)),
  start timestamptz(0) not null,
  artifact_id bigint not null,
  advisory_id text collate "C" not null,
  count bigint not null,
  primary key (deployment_id, hours, start, artifact_id, advisory_id)
) with (fillfactor = 70);
call protect_tenant_table('firewall_blocked');

-- Who was given what: asked when it turns out to be malicious.
create table firewall_fetch (
  deployment_id bigint not null references deployment (id) on delete cascade,
  artifact_id bigint not null,
  person_id bigint not null,
  token_id bigint not null,
  first_at timestamptz(3) not null,
  -- To within an hour: who fetches the same thing all day is not written down each time.
  last_at timestamptz(3) not null,
  primary key (deployment_id, artifact_id, person_id, token_id)
) with (fillfactor = 80);
call protect_tenant_table('firewall_fetch');

-- Who was given something that turned out to be malicious.
create table firewall_exposure (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  artifact_id bigint not null,
  person_id bigint not null,
  token_id bigint not null,
  advisory_ids text[] collate "C" not null,
  fetched_at timestamptz(3) not null,
  found_at timestamptz(3) not null,
  -- When what was said about it was taken back; null while it stands.
  withdrawn_at timestamptz(3),
  primary key (deployment_id, id)
);
create unique index firewall_exposure_subject on firewall_exposure (deployment_id, artifact_id, person_id, token_id);
call protect_tenant_table('firewall_exposure');
