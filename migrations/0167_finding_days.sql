-- compatible-with: 0105
-- What happened to findings on a day, for the deployment (repository 0) and each repository: activity, trends and the severities of the
-- backlog read every finding and its history for it. A row is a change, and a counter is the sum of the rows of its key.
create table finding_day (
  deployment_id bigint not null references deployment (id) on delete cascade,
  repository_id bigint not null,
  grain "char" not null check (grain in ('d', 'm')),
  starts_at timestamptz not null,
  -- What happened then, as often as it did.
  opened integer not null,
  fixings integer not null,
  reopened integer not null,
  ignored integer not null,
  provisional integer not null,
  -- By how many those that stand on branches became more, each thing once.
  stood integer not null,
  -- Of branches, each thing once: those that are fixed, and became so then.
  fixed integer not null,
  -- Those of the funnel that were raised then, by severity.
  info integer not null,
  low integer not null,
  medium integer not null,
  high integer not null,
  critical integer not null,
  id bigint generated always as identity,
  merged boolean not null default false,
  primary key (deployment_id, repository_id, grain, starts_at, id)
);
-- Of all repositories at once, for trends by repository or team.
create index finding_day_by_time on finding_day (deployment_id, grain, starts_at) include (repository_id, opened, stood, fixed)
  where repository_id > 0;
create index finding_day_unmerged on finding_day (deployment_id, id) where not merged;
call protect_tenant_table('finding_day');

-- Repositories whose days are not counted yet, or not all of them: reports read findings until a task has counted.
create table finding_days_due (
  deployment_id bigint not null references deployment (id) on delete cascade,
  repository_id bigint not null,
  primary key (deployment_id, repository_id)
);
call protect_tenant_table('finding_days_due');
alter table repository no force row level security;
alter table finding no force row level security;
alter table finding_days_due no force row level security;
insert into finding_days_due select r.deployment_id, r.id from repository r
  where exists (select from finding f where f.deployment_id = r.deployment_id and f.repository_id = r.id);
alter table repository force row level security;
alter table finding force row level security;
alter table finding_days_due force row level security;

-- Of findings of a repository, so many more of a figure on a day: in the order of the columns, from 1.
create function move_finding_days(deployment bigint, repositories bigint[], days timestamptz[], figures smallint[],
  changes integer[]) returns void language plpgsql as $$
declare
  added bigint;
begin
  with written as (
    insert into finding_day (deployment_id, repository_id, grain, starts_at, opened, fixings, reopened, ignored, provisional, stood,
      fixed, info, low, medium, high, critical)
    select deployment, scope.repository_id, span.grain, span.starts_at,
      coalesce(sum(c.change) filter (where c.figure = 1), 0), coalesce(sum(c.change) filter (where c.figure = 2), 0),
      coalesce(sum(c.change) filter (where c.figure = 3), 0), coalesce(sum(c.change) filter (where c.figure = 4), 0),
      coalesce(sum(c.change) filter (where c.figure = 5), 0), coalesce(sum(c.change) filter (where c.figure = 6), 0),
      coalesce(sum(c.change) filter (where c.figure = 7), 0), coalesce(sum(c.change) filter (where c.figure = 8), 0),
      coalesce(sum(c.change) filter (where c.figure = 9), 0), coalesce(sum(c.change) filter (where c.figure = 10), 0),
      coalesce(sum(c.change) filter (where c.figure = 11), 0), coalesce(sum(c.change) filter (where c.figure = 12), 0)
    from unnest(repositories, days, figures, changes) as c (repository_id, day, figure, change)
    cross join lateral (values (0::bigint), (c.repository_id)) as scope (repository_id)
    cross join lateral (values ('d'::"char", c.day), ('m', date_trunc('month', c.day, 'UTC'))) as span (grain, starts_at)
    group by scope.repository_id, span.grain, span.starts_at
    returning 1)
  select count(*) into added from written;
end $$;

create function merge_finding_days(deployment bigint, repositories bigint[], most integer) returns bigint
  language plpgsql set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  key record;
  added bigint;
begin
  select array_agg(k.repository_id) as repositories, array_agg(k.grain) as grains, array_agg(k.starts_at) as starts into key
  from (
    select distinct oldest.repository_id, oldest.grain, oldest.starts_at
    from (select d.repository_id, d.grain, d.starts_at from finding_day d
      where d.deployment_id = deployment and not d.merged order by d.id limit most) oldest
    where oldest.repository_id = any(merge_finding_days.repositories)) k;
  if key.repositories is null then
    return 0;
  end if;
  with taken as (
    delete from finding_day d using unnest(key.repositories, key.grains, key.starts) as k (repository_id, grain, starts_at)
    where d.deployment_id = deployment and d.repository_id = k.repository_id and d.grain = k.grain and d.starts_at = k.starts_at
    returning d.*
  ), written as (
    insert into finding_day (deployment_id, repository_id, grain, starts_at, opened, fixings, reopened, ignored, provisional, stood,
      fixed, info, low, medium, high, critical, merged)
    select deployment, t.repository_id, t.grain, t.starts_at, sum(opened), sum(fixings), sum(reopened), sum(ignored), sum(provisional),
      sum(stood), sum(fixed), sum(info), sum(low), sum(medium), sum(high), sum(critical), true
    from taken t group by t.repository_id, t.grain, t.starts_at
    having (sum(opened) | sum(fixings) | sum(reopened) | sum(ignored) | sum(provisional) | sum(stood) | sum(fixed) | sum(info)
      | sum(low) | sum(medium) | sum(high) | sum(critical)) <> 0
    returning 1)
  select count(*) into added from written;
  return cardinality(key.repositories);
end $$;

-- A process of the release before moves the other counters alone. What it changes is due: it calls move_finding_counts and
-- move_finding_tallies, and newer ones call functions of other names.
create function due_finding_days(deployment bigint, repositories bigint[]) returns void language plpgsql as $$
declare
  added bigint;
begin
  with written as (
    insert into finding_days_due (deployment_id, repository_id)
    select distinct deployment, given.id from unnest(repositories) as given (id)
    on conflict do nothing
    returning 1)
  select count(*) into added from written;
end $$;

create function add_finding_counts(deployment bigint, repositories bigint[], rules bigint[], categories smallint[],
  days timestamptz[], cells smallint[], changes integer[]) returns void language plpgsql as $$
declare
  added bigint;
begin
  with written as (
    insert into finding_count (deployment_id, repository_id, rule_id, category, grain, starts_at, silenced, open, fixed,
      ignored, provisional, code_standing, code_exploitable, code_exposed, code_priority, sca_standing, sca_exploitable, sca_exposed,
      sca_priority, secrets_standing, secrets_exploitable, secrets_exposed, secrets_priority, ended)
    select deployment, s.repository_id, s.rule_id, s.category, s.grain, s.starts_at,
      coalesce(sums[1], 0), coalesce(sums[2], 0), coalesce(sums[3], 0), coalesce(sums[4], 0), coalesce(sums[5], 0),
      coalesce(sums[6], 0), coalesce(sums[7], 0), coalesce(sums[8], 0), coalesce(sums[9], 0),
      coalesce(sums[10], 0), coalesce(sums[11], 0), coalesce(sums[12], 0), coalesce(sums[13], 0),
      coalesce(sums[14], 0), coalesce(sums[15], 0), coalesce(sums[16], 0), coalesce(sums[17], 0), coalesce(sums[18], 0)
    from finding_sums(repositories, rules, categories, days, cells, changes) s
    where 0 <> any(s.sums)
    returning 1)
  select count(*) into added from written;
end $$;

create function add_finding_tallies(deployment bigint, repositories bigint[], kinds smallint[], changes integer[]) returns void
  language plpgsql as $$
declare
  added bigint;
begin
  with written as (
    insert into finding_tally (deployment_id, repository_id, kind, number)
    select deployment, scope.repository_id, c.kind, sum(c.change)
    from unnest(repositories, kinds, changes) as c (repository_id, kind, change)
    cross join lateral (values (0::bigint), (c.repository_id)) as scope (repository_id)
    group by scope.repository_id, c.kind having sum(c.change) <> 0
    returning 1)
  select count(*) into added from written;
end $$;

create or replace function move_finding_counts(deployment bigint, repositories bigint[], rules bigint[], categories smallint[],
  days timestamptz[], cells smallint[], changes integer[]) returns void language plpgsql as $$
begin
  perform add_finding_counts(deployment, repositories, rules, categories, days, cells, changes);
  perform due_finding_days(deployment, repositories);
end $$;

create or replace function move_finding_tallies(deployment bigint, repositories bigint[], kinds smallint[], changes integer[])
  returns void language plpgsql as $$
begin
  perform add_finding_tallies(deployment, repositories, kinds, changes);
  perform due_finding_days(deployment, repositories);
end $$;

create or replace function count_repository_findings(deployment bigint, repository bigint, sign integer) returns void
  language plpgsql as $$
declare
  sums record;
begin
  select array_agg(repository) as repositories, array_agg(s.rule_id) as rules, array_agg(s.category) as categories,
    array_agg(s.day) as days, array_agg(s.cell) as cells, array_agg(sign * s.number) as numbers into sums
  from (
    select f.rule_id, f.category, date_trunc('day', f.raised_at, 'UTC') as day, f.cell, count(*)::integer as number
    from finding f where f.deployment_id = deployment and f.repository_id = repository
    group by f.rule_id, f.category, date_trunc('day', f.raised_at, 'UTC'), f.cell) s;
  perform add_finding_counts(deployment, sums.repositories, sums.rules, sums.categories, sums.days, sums.cells, sums.numbers);
end $$;

create or replace function delete_findings() returns trigger
  language plpgsql as $$
declare
  tallies record;
  added bigint;
begin
  perform count_repository_findings(old.deployment_id, old.id, -1);
  select array_agg(t.repository_id) as repositories, array_agg(t.kind) as kinds, array_agg(-t.number) as numbers into tallies
    from finding_tally t where t.deployment_id = old.deployment_id and t.repository_id = old.id;
  perform add_finding_tallies(old.deployment_id, tallies.repositories, tallies.kinds, tallies.numbers);
  with written as (
    insert into finding_day (deployment_id, repository_id, grain, starts_at, opened, fixings, reopened, ignored, provisional, stood,
      fixed, info, low, medium, high, critical)
    select d.deployment_id, 0, d.grain, d.starts_at, -sum(opened), -sum(fixings), -sum(reopened), -sum(ignored), -sum(provisional),
      -sum(stood), -sum(fixed), -sum(info), -sum(low), -sum(medium), -sum(high), -sum(critical)
    from finding_day d where d.deployment_id = old.deployment_id and d.repository_id = old.id
    group by d.deployment_id, d.grain, d.starts_at
    returning 1)
  select count(*) into added from written;
  delete from finding_history h using finding f
  where f.deployment_id = old.deployment_id and f.repository_id = old.id
    and h.deployment_id = f.deployment_id and h.finding_id = f.id;
  delete from finding where deployment_id = old.deployment_id and repository_id = old.id;
  -- By now they are empty, and nobody will ask for them again.
  delete from finding_count where deployment_id = old.deployment_id and repository_id = old.id;
  delete from finding_tally where deployment_id = old.deployment_id and repository_id = old.id;
  delete from finding_day where deployment_id = old.deployment_id and repository_id = old.id;
  delete from finding_days_due where deployment_id = old.deployment_id and repository_id = old.id;
  return old;
end $$;
