-- Pull requests are about what they introduce, and end. Branches count each thing once.

-- Whether the source ever told all there is here; and that the pull request is over, until it is scanned again.
alter table finding_stream add column whole boolean not null default true, add column ended_at timestamptz(3);
create index finding_stream_of_open_pull_request on finding_stream (deployment_id, repository_id, pull_request)
  where pull_request > 0 and ended_at is null;

alter table finding no force row level security;
alter table finding_stream no force row level security;
alter table finding_history no force row level security;
alter table finding_count no force row level security;
alter table finding_sheet no force row level security;
alter table finding_tally no force row level security;
alter table scan no force row level security;
alter table repository no force row level security;
alter table deployment no force row level security;

drop index finding_raised, finding_in_repository, finding_of_rule;
alter table finding drop column cell, drop constraint finding_state_check,
  -- 8: it was there when its pull request ended, or its base has it by now.
  add constraint finding_state_check check (state between 1 and 8),
  -- The same thing stands on another branch of the repository, and reports count it there. Of a pull request: its base had it
  -- before, which was raised all the same before pull requests were compared with their base.
  add column duplicate boolean not null default false;

-- What equal findings of a file share, and the code that tells them apart: see pairing.ts and formats/sarif/content.ts.
create function finding_thing(fingerprint text) returns text language sql immutable
  return case when substr(fingerprint, 33, 1) = ':' and length(fingerprint) > 33 then left(fingerprint, 32) else fingerprint end;
create function finding_code(context text) returns text language sql immutable
  return case when context like '=%' then '' else split_part(context, '.', 1) end;

-- What was raised for a pull request although its base has it. What the base got later was introduced by the pull request.
create temporary table inherited on commit drop as
  select f.deployment_id, f.id, f.state, f.reason, f.change_count, bool_or(b.raised_at <= f.raised_at) as before
  from finding_stream s
  join scan on scan.deployment_id = s.deployment_id and scan.id = s.scan_id
  join finding_stream base on base.deployment_id = s.deployment_id and base.repository_id = s.repository_id
    and base.pull_request = 0 and base.ref = scan.base_ref and base.source = s.source
  join finding f on f.deployment_id = s.deployment_id and f.stream_id = s.id
  join finding b on b.deployment_id = base.deployment_id and b.stream_id = base.id and b.fingerprint = f.fingerprint
    and not b.absent and (b.state <> 7 or b.decided_by = 4)
  where s.pull_request > 0 group by 1, 2, 3, 4, 5;
insert into finding_history (deployment_id, finding_id, seq, at, from_state, from_reason, to_state, to_reason, decided_by,
  decider_id, token_id, scan_id, note)
select i.deployment_id, i.id, i.change_count + 1, statement_timestamp(), i.state, i.reason, 8, 0, 0, 0, 0, 0,
  'The base of the pull request has it.'
from inherited i where i.state <= 4;
update finding f set duplicate = i.before, version = f.version + 1,
  state = case when f.state <= 4 then 8 else f.state end, reason = case when f.state <= 4 then 0 else f.reason end,
  decided_by = case when f.state <= 4 then 0 else f.decided_by end, decider_id = case when f.state <= 4 then 0 else f.decider_id end,
  state_at = case when f.state <= 4 then statement_timestamp() else f.state_at end,
  change_count = f.change_count + case when f.state <= 4 then 1 else 0 end
from inherited i where f.deployment_id = i.deployment_id and f.id = i.id;

-- Of what stands on several branches one is counted: an open one rather than one that is provisionally ignored, and that of the
-- default branch rather than another; findings that are equal in all but their place by their number.
update finding f set duplicate = true
from (
  select numbered.deployment_id, numbered.id, row_number() over (partition by numbered.deployment_id, numbered.repository_id,
    numbered.source, numbered.thing, numbered.code, numbered.number
    order by numbered.state = 5, not numbered.main, numbered.id) as place
  from (
    select f.deployment_id, f.id, f.repository_id, f.state, s.source, s.ref = r.default_branch as main,
      finding_thing(f.fingerprint) as thing, finding_code(f.context) as code,
      row_number() over (partition by f.deployment_id, f.stream_id, finding_thing(f.fingerprint), finding_code(f.context)
        order by f.state = 5, f.id) as number
    from finding f
    join finding_stream s on s.deployment_id = f.deployment_id and s.id = f.stream_id
    join repository r on r.deployment_id = f.deployment_id and r.id = f.repository_id
    where f.pull_request = 0 and f.state <= 5) numbered) ranked
where f.deployment_id = ranked.deployment_id and f.id = ranked.id and ranked.place > 1;

-- What reports count it as: standing in the report of pull requests (0 not introduced by one, 1 silenced, 2 open, 3 fixed, 4 ignored,
-- 5 provisionally ignored, 6 left when it ended) + 8 * product (0 code and ai, 1 sca, 2 secrets) + 32 * depth in the funnel (0 fixed,
-- ignored or not on a branch, 1 none of these, 2 also possibly exploitable, 3 also exposed, 4 also a priority). Malware is one
-- wherever it is.
alter table finding add column cell smallint not null generated always as ((
    case when pull_request = 0 or duplicate then 0 when silenced then 1 when state = 7 then 3 when state = 6 then 4
      when state = 5 then 5 when state = 8 then 6 else 2 end
    + 8 * case product when 2 then 1 when 3 then 2 else 0 end
    + 32 * case when state >= 6 or pull_request > 0 or duplicate then 0
      when state = 5 or (product = 2 and reachability = 2) or (product = 3 and validity = 2) then 1
      when malicious then 4
      when not exposed then 2
      when severity >= 4 and case product when 2 then reachability when 3 then validity else confidence end = 3 then 4
      else 3 end)::smallint) stored;
create index finding_raised on finding (deployment_id, raised_at, id)
  include (cell, category, severity, repository_id, rule_id);
create index finding_in_repository on finding (deployment_id, repository_id, raised_at, id)
  include (cell, category, severity, rule_id);
create index finding_of_rule on finding (deployment_id, rule_id, raised_at, id)
  include (cell, category, severity, repository_id);

-- State + 16 * severity + 128 * product + 1024 for those of pull requests.
create or replace function finding_kind(state smallint, severity smallint, product smallint, pull_request integer) returns smallint
  language sql immutable
  return (state + 16 * severity + 128 * product + case when pull_request > 0 then 1024 else 0 end)::smallint;

alter table finding_count add column ended integer not null default 0;

-- As before, and how many were left when their pull request ended.
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
      sum(change) filter (where product = 2 and depth >= 3), sum(change) filter (where product = 2 and depth >= 4),
      sum(change) filter (where standing = 6)
    ]::integer[] as sums
  from (select e.*, cell & 7 as standing, cell >> 3 & 3 as product, cell >> 5 as depth from either e where change <> 0) s
  group by s.repository_id, s.rule_id, s.category, s.grain, s.starts_at
$$;

create or replace function move_finding_counts(deployment bigint, repositories bigint[], rules bigint[], categories smallint[],
    hours timestamptz[], cells smallint[], changes integer[])
  returns void language sql as $$
  select add_finding_sheets(deployment, repositories, rules, categories, hours, cells, changes);
  insert into finding_count as c (deployment_id, repository_id, rule_id, category, grain, starts_at, silenced, open, fixed,
    ignored, provisional, code_standing, code_exploitable, code_exposed, code_priority, sca_standing, sca_exploitable, sca_exposed,
    sca_priority, secrets_standing, secrets_exploitable, secrets_exposed, secrets_priority, ended)
  select deployment, s.repository_id, s.rule_id, s.category, s.grain, s.starts_at,
    coalesce(sums[1], 0), coalesce(sums[2], 0), coalesce(sums[3], 0), coalesce(sums[4], 0), coalesce(sums[5], 0),
    coalesce(sums[6], 0), coalesce(sums[7], 0), coalesce(sums[8], 0), coalesce(sums[9], 0),
    coalesce(sums[10], 0), coalesce(sums[11], 0), coalesce(sums[12], 0), coalesce(sums[13], 0),
    coalesce(sums[14], 0), coalesce(sums[15], 0), coalesce(sums[16], 0), coalesce(sums[17], 0), coalesce(sums[18], 0)
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
    secrets_priority = c.secrets_priority + excluded.secrets_priority, ended = c.ended + excluded.ended
$$;

-- Everything is counted again.
truncate finding_count, finding_sheet, finding_tally;
drop index finding_count_guardrails;
create index finding_count_guardrails on finding_count (deployment_id, repository_id, rule_id, grain, starts_at)
  include (silenced, open, fixed, ignored, provisional, ended)
  where category = -1 and (silenced | open | fixed | ignored | provisional | ended) <> 0;
do $$
declare one bigint;
begin
  for one in select id from deployment order by id loop
    perform move_finding_counts(one, array_agg(repository_id), array_agg(rule_id), array_agg(category), array_agg(hour),
      array_agg(cell), array_agg(number))
    from (
      select f.repository_id, f.rule_id, f.category, date_trunc('hour', f.raised_at, 'UTC') as hour, f.cell,
        count(*)::integer as number
      from finding f where f.deployment_id = one group by 1, 2, 3, 4, 5) sums;
  end loop;
end $$;
insert into finding_tally
select f.deployment_id, scope.repository_id, finding_kind(f.state, f.severity, f.product, f.pull_request), count(*)
from finding f cross join lateral (values (0::bigint), (f.repository_id)) as scope (repository_id) group by 1, 2, 3;

alter table finding force row level security;
alter table finding_stream force row level security;
alter table finding_history force row level security;
alter table finding_count force row level security;
alter table finding_sheet force row level security;
alter table finding_tally force row level security;
alter table scan force row level security;
alter table repository force row level security;
alter table deployment force row level security;
