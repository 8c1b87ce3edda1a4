-- Findings are counted by day and by month, for the whole deployment and each of its categories, for each repository and for each
-- rule. Where filters combine, and at the ends of a period, reports read the findings along an index. So there are no more sheets
-- (see 0026), and no counters of hours and weeks.

drop function finding_sums(bigint[], bigint[], smallint[], timestamptz[], smallint[], integer[]);
create function finding_sums(repositories bigint[], rules bigint[], categories smallint[], days timestamptz[],
    cells smallint[], changes integer[])
  returns table (repository_id bigint, rule_id bigint, category smallint, grain "char", starts_at timestamptz,
    sums integer[]) language sql stable as $$
  with change as materialized (
    select t.repository_id, t.rule_id, t.category, date_trunc('day', t.day, 'UTC') as day, t.cell, t.change
    from unnest(repositories, rules, categories, days, cells, changes)
      as t (repository_id, rule_id, category, day, cell, change)
    where is_reported(t.cell)
  ), daily as materialized (
    select 0::bigint as repository_id, 0::bigint as rule_id, c.category, c.day, c.cell, sum(c.change)::integer as change
    from change c group by c.category, c.day, c.cell
    union all
    select 0, 0, -1::smallint, c.day, c.cell, sum(c.change)::integer from change c group by c.day, c.cell
    union all
    select 0, c.rule_id, -1::smallint, c.day, c.cell, sum(c.change)::integer from change c group by c.rule_id, c.day, c.cell
    union all
    select c.repository_id, 0, -1::smallint, c.day, c.cell, sum(c.change)::integer
    from change c group by c.repository_id, c.day, c.cell
  ), calendar as (
    select day, date_trunc('month', day, 'UTC') as month from (select distinct c.day from change c) days
  ), spans as (
    select d.repository_id, d.rule_id, d.category, 'd'::"char" as grain, d.day as starts_at, d.cell, d.change from daily d
    union all
    select d.repository_id, d.rule_id, d.category, 'm', calendar.month, d.cell, sum(d.change)::integer
    from daily d join calendar using (day) group by d.repository_id, d.rule_id, d.category, calendar.month, d.cell
  )
  select s.repository_id, s.rule_id, s.category, s.grain, s.starts_at,
    array[sum(change) filter (where standing = 1), sum(change) filter (where standing = 2),
      sum(change) filter (where standing = 3), sum(change) filter (where standing = 4),
      sum(change) filter (where standing = 5),
      sum(change) filter (where product = 0 and depth >= 1), sum(change) filter (where product = 0 and depth >= 2),
      sum(change) filter (where product = 0 and depth >= 3), sum(change) filter (where product = 0 and depth >= 4),
      sum(change) filter (where product = 1 and depth >= 1), sum(change) filter (where product = 1 and depth >= 2),
      sum(change) filter (where product = 1 and depth >= 3), sum(change) filter (where product = 1 and depth >= 4),
      sum(change) filter (where product = 2 and depth >= 1), sum(change) filter (where product = 2 and depth >= 2),
      sum(change) filter (where product = 2 and depth >= 3), sum(change) filter (where product = 2 and depth >= 4),
      sum(change) filter (where standing = 6)
    ]::integer[] as sums
  from (select e.*, cell & 7 as standing, cell >> 3 & 3 as product, cell >> 5 as depth from spans e where change <> 0) s
  group by s.repository_id, s.rule_id, s.category, s.grain, s.starts_at
$$;

drop function move_finding_counts(bigint, bigint[], bigint[], smallint[], timestamptz[], smallint[], integer[]);
create function move_finding_counts(deployment bigint, repositories bigint[], rules bigint[], categories smallint[],
    days timestamptz[], cells smallint[], changes integer[])
  returns void language sql as $$
  insert into finding_count as c (deployment_id, repository_id, rule_id, category, grain, starts_at, silenced, open, fixed,
    ignored, provisional, code_standing, code_exploitable, code_exposed, code_priority, sca_standing, sca_exploitable, sca_exposed,
    sca_priority, secrets_standing, secrets_exploitable, secrets_exposed, secrets_priority, ended)
  select deployment, s.repository_id, s.rule_id, s.category, s.grain, s.starts_at,
    coalesce(sums[1], 0), coalesce(sums[2], 0), coalesce(sums[3], 0), coalesce(sums[4], 0), coalesce(sums[5], 0),
    coalesce(sums[6], 0), coalesce(sums[7], 0), coalesce(sums[8], 0), coalesce(sums[9], 0),
    coalesce(sums[10], 0), coalesce(sums[11], 0), coalesce(sums[12], 0), coalesce(sums[13], 0),
    coalesce(sums[14], 0), coalesce(sums[15], 0), coalesce(sums[16], 0), coalesce(sums[17], 0), coalesce(sums[18], 0)
  from finding_sums(repositories, rules, categories, days, cells, changes) s
  where exists (select from unnest(s.sums) as one (sum) where one.sum <> 0)
  order by s.repository_id, s.rule_id, s.category, s.grain, s.starts_at
  on conflict (deployment_id, repository_id, rule_id, category, grain, starts_at) do update set
    silenced = c.silenced + excluded.silenced, open = c.open + excluded.open, fixed = c.fixed + excluded.fixed,
    ignored = c.ignored + excluded.ignored, provisional = c.provisional + excluded.provisional,
    code_standing = c.code_standing + excluded.code_standing,
    code_exploitable = c.code_exploitable + excluded.code_exploitable,
    code_exposed = c.code_exposed + excluded.code_exposed, code_priority = c.code_priority + excluded.code_priority,
    sca_standing = c.sca_standing + excluded.sca_standing, sca_exploitable = c.sca_exploitable + excluded.sca_exploitable,
    sca_exposed = c.sca_exposed + excluded.sca_exposed, sca_priority = c.sca_priority + excluded.sca_priority,
    secrets_standing = c.secrets_standing + excluded.secrets_standing,
    secrets_exploitable = c.secrets_exploitable + excluded.secrets_exploitable,
    secrets_exposed = c.secrets_exposed + excluded.secrets_exposed,
    secrets_priority = c.secrets_priority + excluded.secrets_priority, ended = c.ended + excluded.ended
$$;

create or replace function count_repository_findings(deployment bigint, repository bigint, sign integer)
  returns void language sql as $$
  select move_finding_counts(deployment, array_agg(repository), array_agg(rule_id), array_agg(category), array_agg(day),
    array_agg(cell), array_agg(sign * number))
  from (
    select f.rule_id, f.category, date_trunc('day', f.raised_at, 'UTC') as day, f.cell, count(*)::integer as number
    from finding f where f.deployment_id = deployment and f.repository_id = repository
    group by f.rule_id, f.category, date_trunc('day', f.raised_at, 'UTC'), f.cell
  ) sums
$$;

create or replace function delete_findings() returns trigger language plpgsql as $$
begin
  perform count_repository_findings(old.deployment_id, old.id, -1);
  perform move_finding_tallies(old.deployment_id, array_agg(repository_id), array_agg(kind), array_agg(-number))
    from finding_tally where deployment_id = old.deployment_id and repository_id = old.id;
  delete from finding_history h using finding f
  where f.deployment_id = old.deployment_id and f.repository_id = old.id
    and h.deployment_id = f.deployment_id and h.finding_id = f.id;
  delete from finding where deployment_id = old.deployment_id and repository_id = old.id;
  -- By now they are empty, and nobody will ask for them again.
  delete from finding_count where deployment_id = old.deployment_id and repository_id = old.id;
  delete from finding_tally where deployment_id = old.deployment_id and repository_id = old.id;
  return old;
end $$;

drop function add_finding_sheets, merge_finding_sheets, sheet_entries, sheet_entry;
drop table finding_sheet;
delete from periodic_task where name = 'findings.sheets';

-- Counters of days and months stay as they are. By way of a copy, so that the space of the others is given back; also for an
-- owner of the tables who is not a superuser.
alter table finding_count no force row level security;
create temporary table kept on commit drop as select * from finding_count where grain in ('d', 'm');
truncate finding_count;
insert into finding_count select * from kept order by starts_at;
alter table finding_count force row level security;
alter table finding_count add constraint finding_count_grain check (grain in ('d', 'm'));
