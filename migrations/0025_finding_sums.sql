-- The sums that counters move by, when very many findings move at once: a memory over a whole deployment, say. Everything is
-- summed up by day first, for each scope apart, and weeks and months are made of days; before, every change was carried into
-- each of its twenty places by itself.
create or replace function finding_sums(repositories bigint[], rules bigint[], categories smallint[], hours timestamptz[],
    cells smallint[], changes integer[])
  returns table (repository_id bigint, rule_id bigint, category smallint, grain "char", starts_at timestamptz,
    sums integer[]) language sql stable as $$
  with change as materialized (
    select t.repository_id, t.rule_id, t.category, t.hour, date_trunc('day', t.hour, 'UTC') as day, t.cell, t.change
    from unnest(repositories, rules, categories, hours, cells, changes)
      as t (repository_id, rule_id, category, hour, cell, change)
  ), hourly as materialized (
    select category, hour, day, cell, sum(change)::integer as change from change group by 1, 2, 3, 4
  ), daily as materialized (
    select 0::bigint as repository_id, 0::bigint as rule_id, category, day, cell, sum(change)::integer as change
    from hourly group by category, day, cell
    union all
    select 0, rule_id, category, day, cell, sum(change)::integer from change group by rule_id, category, day, cell
    union all
    select repository_id, 0, category, day, cell, sum(change)::integer from change group by repository_id, category, day, cell
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
    select repository_id, rule_id, -1::smallint, grain, starts_at, cell, sum(change)::integer from spans
    group by repository_id, rule_id, grain, starts_at, cell
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
