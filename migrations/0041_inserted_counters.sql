-- Counters are inserted, not updated: a transaction adds rows that say what changed, and whoever reads adds up all rows of a key.
-- So transactions neither wait for each other nor read what others left behind. A task replaces several rows of a key by
-- one (`merged`).
alter table finding_count drop constraint finding_count_pkey;
alter table finding_count
  add column id bigint generated always as identity,
  add column merged boolean not null default true;
alter table finding_count
  alter column merged set default false,
  add primary key (deployment_id, repository_id, rule_id, category, grain, starts_at, id);
-- One row may say that findings came further in the funnel, and nothing else.
drop index finding_count_funnel;
create index finding_count_funnel on finding_count (deployment_id, repository_id, rule_id, grain, starts_at)
  include (code_standing, code_exploitable, code_exposed, code_priority, sca_standing, sca_exploitable, sca_exposed,
    sca_priority, secrets_standing, secrets_exploitable, secrets_exposed, secrets_priority)
  where category = -1 and (code_standing | code_exploitable | code_exposed | code_priority | sca_standing | sca_exploitable
    | sca_exposed | sca_priority | secrets_standing | secrets_exploitable | secrets_exposed | secrets_priority) <> 0;
create index finding_count_unmerged on finding_count (deployment_id, id) where not merged;

alter table finding_tally drop constraint finding_tally_pkey;
alter table finding_tally
  add column id bigint generated always as identity,
  add column merged boolean not null default true;
alter table finding_tally
  alter column merged set default false,
  add primary key (deployment_id, repository_id, kind, id);
create index finding_tally_unmerged on finding_tally (deployment_id, id) where not merged;

create or replace function move_finding_counts(deployment bigint, repositories bigint[], rules bigint[], categories smallint[],
    days timestamptz[], cells smallint[], changes integer[])
  returns void language sql as $$
  insert into finding_count (deployment_id, repository_id, rule_id, category, grain, starts_at, silenced, open, fixed,
    ignored, provisional, code_standing, code_exploitable, code_exposed, code_priority, sca_standing, sca_exploitable, sca_exposed,
    sca_priority, secrets_standing, secrets_exploitable, secrets_exposed, secrets_priority, ended)
  select deployment, s.repository_id, s.rule_id, s.category, s.grain, s.starts_at,
    coalesce(sums[1], 0), coalesce(sums[2], 0), coalesce(sums[3], 0), coalesce(sums[4], 0), coalesce(sums[5], 0),
    coalesce(sums[6], 0), coalesce(sums[7], 0), coalesce(sums[8], 0), coalesce(sums[9], 0),
    coalesce(sums[10], 0), coalesce(sums[11], 0), coalesce(sums[12], 0), coalesce(sums[13], 0),
    coalesce(sums[14], 0), coalesce(sums[15], 0), coalesce(sums[16], 0), coalesce(sums[17], 0), coalesce(sums[18], 0)
  from finding_sums(repositories, rules, categories, days, cells, changes) s
  where exists (select from unnest(s.sums) as one (sum) where one.sum <> 0)
$$;

create or replace function move_finding_tallies(deployment bigint, repositories bigint[], kinds smallint[], changes integer[])
  returns void language sql as $$
  insert into finding_tally (deployment_id, repository_id, kind, number)
  select deployment, scope.repository_id, c.kind, sum(c.change)
  from unnest(repositories, kinds, changes) as c (repository_id, kind, change)
  cross join lateral (values (0::bigint), (c.repository_id)) as scope (repository_id)
  group by scope.repository_id, c.kind having sum(c.change) <> 0
$$;

-- Merges the keys of the oldest rows that are not merged yet, and says how many keys they were. What was deleted is what is
-- summed up, so two who merge at once lose nothing and count nothing twice. The rows are told by their places, which leaves the
-- planner no other way than along the primary key, with or without statistics.
create function merge_finding_counts(deployment bigint, repositories bigint[], most integer) returns bigint language sql as $$
  with key as materialized (
    select distinct oldest.repository_id, oldest.rule_id, oldest.category, oldest.grain, oldest.starts_at
    from (select c.* from finding_count c where c.deployment_id = deployment and not c.merged order by c.id limit most) oldest
    where oldest.repository_id = any(repositories)
  ), taken as (
    delete from finding_count where ctid = any(array(
      select same.place from key cross join lateral (
        select c.ctid as place from finding_count c where c.deployment_id = deployment and c.repository_id = key.repository_id
          and c.rule_id = key.rule_id and c.category = key.category and c.grain = key.grain and c.starts_at = key.starts_at
        offset 0) same))
    returning *
  ), added as (
    insert into finding_count (deployment_id, repository_id, rule_id, category, grain, starts_at, silenced, open, fixed,
      ignored, provisional, code_standing, code_exploitable, code_exposed, code_priority, sca_standing, sca_exploitable, sca_exposed,
      sca_priority, secrets_standing, secrets_exploitable, secrets_exposed, secrets_priority, ended, merged)
    select deployment, t.repository_id, t.rule_id, t.category, t.grain, t.starts_at, sum(silenced), sum(open), sum(fixed),
      sum(ignored), sum(provisional), sum(code_standing), sum(code_exploitable), sum(code_exposed), sum(code_priority),
      sum(sca_standing), sum(sca_exploitable), sum(sca_exposed), sum(sca_priority), sum(secrets_standing),
      sum(secrets_exploitable), sum(secrets_exposed), sum(secrets_priority), sum(ended), true
    from taken t group by t.repository_id, t.rule_id, t.category, t.grain, t.starts_at
    having (sum(silenced) | sum(open) | sum(fixed) | sum(ignored) | sum(provisional) | sum(ended) | sum(code_standing)
      | sum(code_exploitable) | sum(code_exposed) | sum(code_priority) | sum(sca_standing) | sum(sca_exploitable)
      | sum(sca_exposed) | sum(sca_priority) | sum(secrets_standing) | sum(secrets_exploitable) | sum(secrets_exposed)
      | sum(secrets_priority)) <> 0
  )
  select count(*) from key
$$;

create function merge_finding_tallies(deployment bigint, repositories bigint[], most integer) returns bigint language sql as $$
  with key as materialized (
    select distinct oldest.repository_id, oldest.kind
    from (select t.* from finding_tally t where t.deployment_id = deployment and not t.merged order by t.id limit most) oldest
    where oldest.repository_id = any(repositories)
  ), taken as (
    delete from finding_tally where ctid = any(array(
      select same.place from key cross join lateral (
        select t.ctid as place from finding_tally t where t.deployment_id = deployment
          and t.repository_id = key.repository_id and t.kind = key.kind
        offset 0) same))
    returning *
  ), added as (
    insert into finding_tally (deployment_id, repository_id, kind, number, merged)
    select deployment, t.repository_id, t.kind, sum(t.number), true from taken t group by t.repository_id, t.kind
    having sum(t.number) <> 0
  )
  select count(*) from key
$$;
