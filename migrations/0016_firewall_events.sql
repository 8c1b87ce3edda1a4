-- What the firewall let through and what it refused. Built for tens of millions of requests: reports read counters and totals,
-- and only the hours and minutes that a period cuts are read more finely. All of it moves in one transaction.

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

-- How many of them in each minute (n), hour (h), day (d) and month (m), in UTC.
create table firewall_activity (
  deployment_id bigint not null references deployment (id) on delete cascade,
  grain "char" not null check (grain in ('n', 'h', 'd', 'm')),
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

-- What was ever refused as malicious, and how often. Who counts holds its rows, so that the totals below follow each other.
create table firewall_culprit (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  artifact_id bigint not null,
  advisory_id text collate "C" not null,
  total bigint not null,
  primary key (deployment_id, id)
) with (fillfactor = 70);
create unique index firewall_culprit_subject on firewall_culprit (deployment_id, artifact_id, advisory_id);
call protect_tenant_table('firewall_culprit');

-- How often each had been refused by the end of an hour in which it was: any period is the difference of two of them, however
-- long it is and however often something was refused in it.
create table firewall_total (
  deployment_id bigint not null references deployment (id) on delete cascade,
  culprit_id bigint not null,
  hour timestamptz(0) not null,
  total bigint not null,
  -- With the total, so that a report need not visit the table.
  primary key (deployment_id, culprit_id, hour) include (total)
) with (fillfactor = 70);
call protect_tenant_table('firewall_total');

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
