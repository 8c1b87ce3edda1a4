-- compatible-with: 0072
-- Exceptions from refusals of the firewall: somebody asks, somebody else decides, and each ends by itself. They are apart from
-- overrides, so that a process of an earlier release, which knows of no teams, lets nobody in by them.
create table firewall_exception (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  ecosystem text collate "C" not null,
  name text collate "C" not null,
  -- As it was asked for; '*' where the package is refused as a whole.
  version text collate "C" not null,
  state text not null default 'open' check (state in ('open', 'approved', 'rejected', 'ended')),
  -- Why it was refused when it was first asked for.
  rule text not null,
  reason text not null,
  advisory_ids text[] not null,
  created_at timestamptz(3) not null,
  -- 0 while nobody has.
  decided_by bigint not null default 0,
  decided_at timestamptz(3),
  decision_reason text not null default '',
  -- What was approved: a version or a range, '' for every version; for everybody, or for a team and the teams below it.
  versions text collate "C" not null default '',
  scope text not null default 'deployment' check (scope in ('deployment', 'team')),
  -- Null with the scope of a team once that team is gone: then it is for nobody.
  team_id bigint,
  expires_at timestamptz(3),
  -- The denying overrides that it was approved over (override-1): it lifts these and no later ones.
  lifts text[] not null default '{}',
  -- The advisories that were known when it was approved, and those that have come since.
  known_advisories text[] not null default '{}',
  new_advisories text[] not null default '{}',
  ended_at timestamptz(3),
  ended_by bigint not null default 0,
  ended_reason text not null default '',
  row_version bigint not null default 1,
  primary key (deployment_id, id),
  foreign key (deployment_id, team_id) references team (deployment_id, id) on delete set null (team_id),
  check (state not in ('approved', 'ended') or expires_at is not null)
);
create unique index firewall_exception_open on firewall_exception (deployment_id, ecosystem, name, version) where state = 'open';
create index firewall_exception_state on firewall_exception (deployment_id, state, id);
create index firewall_exception_subject on firewall_exception (deployment_id, ecosystem, name, version, id);
create index firewall_exception_team on firewall_exception (deployment_id, team_id) where team_id is not null;
call protect_tenant_table('firewall_exception');

-- Everybody who asked for the same, and why.
create table firewall_exception_asker (
  deployment_id bigint not null,
  exception_id bigint not null,
  person_id bigint not null,
  reason text not null,
  asked_at timestamptz(3) not null,
  primary key (deployment_id, exception_id, person_id),
  foreign key (deployment_id, exception_id) references firewall_exception (deployment_id, id) on delete cascade
);
create index firewall_exception_asker_person on firewall_exception_asker (deployment_id, person_id, exception_id);
call protect_tenant_table('firewall_exception_asker');

alter table firewall_deployment
  -- What every refusal ends with: whom to ask, and where.
  add column contact text not null default '',
  -- Whoever asked for an exception does not approve it.
  add column four_eyes boolean not null default false,
  add column exception_settings_version bigint not null default 0,
  -- How far exceptions in force were compared with advisories; moves with those of both kinds.
  add column exceptions_judged text not null default '';

-- Verdicts are made from memory: every process reads who is let in by what.
create policy worker on firewall_exception for select to gatehouse_worker using (true);
grant select (deployment_id, id, ecosystem, name, state, versions, scope, team_id, expires_at, decision_reason, lifts)
  on firewall_exception to gatehouse_worker;
create policy worker on team for select to gatehouse_worker using (true);
grant select (deployment_id, id, parent_team_id) on team to gatehouse_worker;
create policy worker on team_member for select to gatehouse_worker using (true);
grant select (deployment_id, team_id, person_id) on team_member to gatehouse_worker;
