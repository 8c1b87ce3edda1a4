-- What repositories, rules and categories together amount to. Counters for every combination would be more than the findings
-- are, so these are written down finding by finding, in six bytes each, where a report reads a hundred thousand in no time.
--
-- A sheet says what a rule found in a month (repository_id = 0), or what was found in a repository in a month (rule_id = 0).
-- Its entries follow each other, each of them from the highest bit:
--
--   30 bits   the repository of a rule's finding, the rule of a repository's; which is why those are numbered below 2^30
--    5 bits   the day of the month, in UTC
--    8 bits   the finding's cell
--    4 bits   its category
--    1 bit    0 where the finding is counted from here on, 1 where it is counted so no longer
--
-- A finding that moves to another cell is two entries on a new sheet: nobody waits for anybody to write one. A task of its own
-- puts small sheets together and strikes out what cancels.
create table finding_sheet (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  repository_id bigint not null,
  rule_id bigint not null,
  -- Its first day.
  month date not null,
  entries bytea not null,
  primary key (deployment_id, id)
);
-- They hardly compress.
alter table finding_sheet alter column entries set storage external;
create index finding_sheet_month on finding_sheet (deployment_id, repository_id, rule_id, month);
call protect_tenant_table('finding_sheet');
alter table repository alter column id set maxvalue 1073741823;
alter table finding_rule alter column id set maxvalue 1073741823;

create function sheet_entry(other bigint, day integer, cell smallint, category smallint, change integer) returns bytea
  language sql immutable
  return substring(int8send((other << 18) | (day << 13) | (cell::integer << 5) | (category::integer << 1)
    | case when change < 0 then 1 else 0 end) from 3);

create function sheet_entries(entries bytea)
  returns table (other bigint, day integer, cell smallint, category smallint, change integer) language sql immutable as $$
  select entry >> 18, (entry >> 13 & 31)::integer, (entry >> 5 & 255)::smallint, (entry >> 1 & 15)::smallint,
    case entry & 1 when 0 then 1 else -1 end
  from (
    select ('x' || encode(substring(flat from at for 6), 'hex'))::bit(48)::bigint as entry
    -- Fetched once, not for every entry.
    from (select entries || ''::bytea as flat offset 0) once
    cross join lateral generate_series(1, octet_length(flat), 6) as at) each
$$;

-- Reports count no others.
create function is_reported(cell smallint) returns boolean language sql immutable return (cell & 7) > 0 or cell >= 32;

-- What changes, on the sheets of its rules and of its repositories.
create function add_finding_sheets(deployment bigint, repositories bigint[], rules bigint[], categories smallint[],
    hours timestamptz[], cells smallint[], changes integer[])
  returns void language sql as $$
  insert into finding_sheet (deployment_id, repository_id, rule_id, month, entries)
  select deployment, sheet.repository_id, sheet.rule_id, date_trunc('month', c.day)::date,
    string_agg(sheet_entry(sheet.other, extract(day from c.day)::integer, c.cell, c.category, c.change), ''::bytea)
  from (
    select t.*, t.hour at time zone 'UTC' as day
    from unnest(repositories, rules, categories, hours, cells, changes)
      as t (repository_id, rule_id, category, hour, cell, change)
    where is_reported(t.cell)) c
  cross join lateral generate_series(1, abs(c.change))
  cross join lateral (values (0::bigint, c.rule_id, c.repository_id), (c.repository_id, 0, c.rule_id))
    as sheet (repository_id, rule_id, other)
  group by sheet.repository_id, sheet.rule_id, date_trunc('month', c.day)
$$;

-- Puts sheets of the same month together.
create function merge_finding_sheets(deployment bigint, ids bigint[]) returns void language sql as $$
  with taken as (
    delete from finding_sheet s where s.deployment_id = deployment and s.id = any(ids)
    returning s.repository_id, s.rule_id, s.month, s.entries
  ), kept as (
    select taken.repository_id, taken.rule_id, taken.month, e.other, e.day, e.cell, e.category, sum(e.change)::integer as change
    from taken cross join lateral sheet_entries(taken.entries) e group by 1, 2, 3, 4, 5, 6, 7
  )
  insert into finding_sheet (deployment_id, repository_id, rule_id, month, entries)
  select deployment, kept.repository_id, kept.rule_id, kept.month,
    string_agg(sheet_entry(kept.other, kept.day, kept.cell, kept.category, kept.change), ''::bytea)
  from kept cross join lateral generate_series(1, abs(kept.change)) group by 2, 3, 4
$$;

-- Counters of categories are kept for the whole deployment only.
create or replace function finding_sums(repositories bigint[], rules bigint[], categories smallint[], hours timestamptz[],
    cells smallint[], changes integer[])
  returns table (repository_id bigint, rule_id bigint, category smallint, grain "char", starts_at timestamptz,
    sums integer[]) language sql stable as $$
  with change as materialized (
    select t.repository_id, t.rule_id, t.category, t.hour, date_trunc('day', t.hour, 'UTC') as day, t.cell, t.change
    from unnest(repositories, rules, categories, hours, cells, changes)
      as t (repository_id, rule_id, category, hour, cell, change)
    where is_reported(t.cell)
  ), hourly as materialized (
    select category, hour, day, cell, sum(change)::integer as change from change group by 1, 2, 3, 4
  ), daily as materialized (
    select 0::bigint as repository_id, 0::bigint as rule_id, category, day, cell, sum(change)::integer as change
    from hourly group by category, day, cell
    union all
    select 0, rule_id, -1::smallint, day, cell, sum(change)::integer from change group by rule_id, day, cell
    union all
    select repository_id, 0, -1::smallint, day, cell, sum(change)::integer from change group by repository_id, day, cell
  ), calendar as (
    select day, date_trunc('week', day, 'UTC') as week, date_trunc('month', day, 'UTC') as month
    from (select distinct day from change) days
  ), spans as (
    select repository_id, rule_id, category, 'h'::"char" as grain, hour as starts_at, cell, change
    from (select 0::bigint as repository_id, 0::bigint as rule_id, * from hourly) hourly
    union all
    select repository_id, rule_id, category, 'd', day, cell, change from daily
    union all
    select repository_id, rule_id, category, 'w', week, cell, sum(change)::integer
    from daily join calendar using (day) group by repository_id, rule_id, category, week, cell
    union all
    select repository_id, rule_id, category, 'm', month, cell, sum(change)::integer
    from daily join calendar using (day) group by repository_id, rule_id, category, month, cell
  ), either as (
    select repository_id, rule_id, category, grain, starts_at, cell, change from spans
    union all
    select 0, 0, -1::smallint, grain, starts_at, cell, sum(change)::integer from spans where category >= 0
    group by grain, starts_at, cell
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
      sum(change) filter (where product = 2 and depth >= 3), sum(change) filter (where product = 2 and depth >= 4)
    ]::integer[] as sums
  from (select e.*, cell & 7 as standing, cell >> 3 & 3 as product, cell >> 5 as depth from either e where change <> 0) s
  group by s.repository_id, s.rule_id, s.category, s.grain, s.starts_at
$$;

-- As before, and the sheets with them.
create or replace function move_finding_counts(deployment bigint, repositories bigint[], rules bigint[], categories smallint[],
    hours timestamptz[], cells smallint[], changes integer[])
  returns void language sql as $$
  select add_finding_sheets(deployment, repositories, rules, categories, hours, cells, changes);
  insert into finding_count as c
  select deployment, s.repository_id, s.rule_id, s.category, s.grain, s.starts_at,
    coalesce(sums[1], 0), coalesce(sums[2], 0), coalesce(sums[3], 0), coalesce(sums[4], 0), coalesce(sums[5], 0),
    coalesce(sums[6], 0), coalesce(sums[7], 0), coalesce(sums[8], 0), coalesce(sums[9], 0),
    coalesce(sums[10], 0), coalesce(sums[11], 0), coalesce(sums[12], 0), coalesce(sums[13], 0),
    coalesce(sums[14], 0), coalesce(sums[15], 0), coalesce(sums[16], 0), coalesce(sums[17], 0)
  from finding_sums(repositories, rules, categories, hours, cells, changes) s
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
    secrets_priority = c.secrets_priority + excluded.secrets_priority
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
  delete from finding_sheet where deployment_id = old.deployment_id and repository_id = old.id;
  delete from finding_tally where deployment_id = old.deployment_id and repository_id = old.id;
  return old;
end $$;

-- Also for an owner of the tables who is no superuser.
alter table finding no force row level security;
alter table finding_count no force row level security;
alter table finding_sheet no force row level security;
insert into finding_sheet (deployment_id, repository_id, rule_id, month, entries)
select f.deployment_id, sheet.repository_id, sheet.rule_id, date_trunc('month', f.day)::date,
  string_agg(sheet_entry(sheet.other, extract(day from f.day)::integer, f.cell, f.category, 1), ''::bytea)
from (select *, raised_at at time zone 'UTC' as day from finding where is_reported(cell)) f
cross join lateral (values (0::bigint, f.rule_id, f.repository_id), (f.repository_id, 0, f.rule_id))
  as sheet (repository_id, rule_id, other)
group by f.deployment_id, sheet.repository_id, sheet.rule_id, date_trunc('month', f.day);
-- Most of the table goes, and its space with it.
drop index finding_count_uncategorised, finding_count_monthly;
create temporary table kept on commit drop as
  select * from finding_count where category = -1 or (repository_id = 0 and rule_id = 0);
truncate finding_count;
insert into finding_count select * from kept order by starts_at;
alter table finding force row level security;
alter table finding_count force row level security;
alter table finding_sheet force row level security;

-- Counters of one repository or rule lie all over their table, because they were written day after day; these keep what each
-- report reads side by side, in the words it asks in.
create index finding_count_guardrails on finding_count (deployment_id, repository_id, rule_id, grain, starts_at)
  include (silenced, open, fixed, ignored, provisional)
  where category = -1 and (silenced | open | fixed | ignored | provisional) <> 0;
create index finding_count_funnel on finding_count (deployment_id, repository_id, rule_id, grain, starts_at)
  include (code_standing, code_exploitable, code_exposed, code_priority, sca_standing, sca_exploitable, sca_exposed,
    sca_priority, secrets_standing, secrets_exploitable, secrets_exposed, secrets_priority)
  where category = -1 and (code_standing | sca_standing | secrets_standing) <> 0;

-- Findings are read for the ends of a period only.
drop index finding_of_rule_in_guardrails, finding_of_rule_in_funnel;
