-- What is wrong in every repository, what was decided about it, and the numbers that reports read. Built for a million
-- findings in two thousand repositories: a report costs the number of its buckets and filters, not of findings.

-- Rules of the tools, each written once. `external_id` is what the tool calls it, '' where it names none.
create table finding_rule (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  -- Who reports by it: sarif:<tool>, osv, malware.
  source text collate "C" not null,
  external_id text collate "C" not null,
  -- As the first log that named it told them.
  name text not null,
  title text not null,
  primary key (deployment_id, id)
);
create unique index finding_rule_external on finding_rule (deployment_id, external_id, source);
call protect_tenant_table('finding_rule');

-- What one source says about one ref of a repository, or about one of its pull requests, over time. A complete observation
-- of a stream fixes what it no longer shows; it says nothing about other streams.
create table finding_stream (
  deployment_id bigint not null,
  id bigint generated always as identity,
  repository_id bigint not null,
  -- 0: the ref itself. A pull request is known by its number, whatever its branch is called at the moment.
  pull_request integer not null,
  ref text collate "C" not null,
  source text collate "C" not null,
  -- The last observation, complete or not.
  scan_id bigint not null,
  observed_at timestamptz(3) not null default statement_timestamp(),
  primary key (deployment_id, id),
  foreign key (deployment_id, repository_id) references repository on delete cascade
);
create unique index finding_stream_subject on finding_stream
  (deployment_id, repository_id, pull_request, (case when pull_request = 0 then ref else '' end), source);
call protect_tenant_table('finding_stream');

-- One thing that is wrong. Whoever changes one holds its repository: an observation alone (for no key update), a decision
-- together with others (for share) and then the finding itself, in the order of ids. It carries no foreign keys, because
-- their checks would cost more than the rows: it goes with its repository (trigger below), and rules are never deleted.
create table finding (
  deployment_id bigint not null,
  id bigint generated always as identity,
  repository_id bigint not null,
  stream_id bigint not null,
  rule_id bigint not null,
  -- Its identity within the stream: survives moved lines and another order of results.
  fingerprint text collate "C" not null,
  -- 0 unless it was raised for a pull request.
  pull_request integer not null,
  -- 1 code, 2 sca, 3 secrets, 4 ai.
  product smallint not null check (product between 1 and 4),
  -- 0 none, 1 security, 2 correctness, 3 performance, 4 maintainability, 5 style, 6 best practice, 7 portability, 8 licence.
  category smallint not null check (category between 0 and 8),
  -- 1 info to 5 critical.
  severity smallint not null check (severity between 1 and 5),
  -- 0 unknown, 1 low, 2 medium, 3 high.
  confidence smallint not null check (confidence between 0 and 3),
  -- 0 nobody looked, 1 unknown, 2 unreachable, 3 reachable.
  reachability smallint not null check (reachability between 0 and 3),
  -- 0 nobody tried, 1 unknown, 2 invalid, 3 valid.
  validity smallint not null check (validity between 0 and 3),
  -- 0 none, 1 likely a false positive, 2 likely a true one.
  verdict smallint not null check (verdict between 0 and 2),
  malicious boolean not null,
  -- Raised for a pull request and not shown there, because its rule is in monitor mode.
  silenced boolean not null,
  -- Whether its repository is publicly exposed; follows the repository (trigger below).
  exposed boolean not null,
  -- 1 open, 2 reopened, 3 reviewing, 4 fixing, 5 provisionally ignored, 6 ignored, 7 fixed.
  state smallint not null default 1 check (state between 1 and 7),
  -- 0 none, 1 false positive, 2 acceptable risk, 3 no time.
  reason smallint not null default 0 check (reason between 0 and 3),
  -- Who put it into this state: 0 the observations alone, 1 a rule of the lifecycle, 2 a memory, 3 an automation, 4 a person.
  -- Who has a higher number is not overruled by who has a lower one.
  decided_by smallint not null default 0 check (decided_by between 0 and 4),
  -- The lifecycle's rule, the memory, the automation or the person, by its number; 0 for the observations.
  decider_id bigint not null default 0,
  -- How many changes its history holds: the number of the last one.
  change_count integer not null default 0,
  -- Milliseconds, as on the wire: a cursor that has passed through it still points to the same row.
  raised_at timestamptz(3) not null,
  state_at timestamptz(3) not null,
  fixed_at timestamptz(3),
  -- The scan that raised it; 0 where none did.
  scan_id bigint not null,
  version bigint not null default 1,
  start_line integer not null,
  path text collate "C" not null,
  title text not null,
  message text not null,
  cwes text[] collate "C" not null,
  vulnerability_ids text[] collate "C" not null,
  -- Where exactly, the dependency, the code flow and whatever else is only ever shown.
  content jsonb not null,
  -- Over everything that the source says about it: tells whether an observation brings news.
  digest text collate "C" not null,
  -- What reports count it as: standing in the report of pull requests (0 not of a pull request, 1 silenced, 2 open, 3 fixed,
  -- 4 ignored, 5 provisionally ignored) + 8 * product (0 code and ai, 1 sca, 2 secrets) + 32 * depth in the funnel (0 fixed or
  -- ignored, 1 neither, 2 also possibly exploitable, 3 also exposed, 4 also a priority).
  cell smallint not null generated always as ((
    case when pull_request = 0 then 0 when silenced then 1 when state = 7 then 3 when state = 6 then 4 when state = 5 then 5
      else 2 end
    + 8 * case product when 2 then 1 when 3 then 2 else 0 end
    + 32 * case when state >= 6 then 0
      when state = 5 or (product = 2 and reachability = 2) or (product = 3 and validity = 2) then 1
      when not exposed then 2
      when severity >= 4 and case product when 2 then reachability when 3 then validity else confidence end = 3 then 4
      else 3 end)::smallint) stored,
  primary key (deployment_id, id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
create unique index finding_identity on finding (deployment_id, stream_id, fingerprint);
-- The days that a period cuts, and any combination of filters that no counter has: everything reports ask for is in the
-- index, so that the table itself is not visited.
create index finding_raised on finding (deployment_id, raised_at, id) include (cell, repository_id, rule_id, category);
create index finding_in_repository on finding (deployment_id, repository_id, raised_at, id)
  include (cell, rule_id, category);
create index finding_of_rule on finding (deployment_id, rule_id, raised_at, id) include (cell, repository_id, category);
-- Searches: by what people filter most, each in the order of time.
create index finding_standing on finding (deployment_id, state, severity, raised_at, id);
-- What people have ignored, for the same finding on another branch or pull request.
create index finding_ignored on finding (deployment_id, repository_id, fingerprint)
  where decided_by = 4 and state in (5, 6);
call protect_tenant_table('finding');

-- Every change of a finding's state, by whom, when and why. The numbers of a finding have no gaps and begin at 1; that it was
-- raised is told by the finding itself. Without foreign keys, like the finding it goes with.
create table finding_history (
  deployment_id bigint not null,
  finding_id bigint not null,
  seq integer not null,
  at timestamptz(3) not null,
  from_state smallint not null,
  from_reason smallint not null,
  to_state smallint not null,
  to_reason smallint not null,
  -- As in finding.
  decided_by smallint not null,
  decider_id bigint not null,
  -- 0 unless a request of a person or program did it.
  token_id bigint not null,
  -- The scan that showed it; 0 where none did.
  scan_id bigint not null,
  note text not null,
  primary key (deployment_id, finding_id, seq)
);
call protect_tenant_table('finding_history');

-- How many findings were raised in a span of time, by what reports count them as. Moves with the findings, in their
-- transaction, by move_finding_counts alone. Each finding is counted in these scopes, and in each of them in these grains:
--
--   repository_id = 0, rule_id = 0, category = -1   the whole deployment            hour, day, week, month
--   repository_id = 0, rule_id = 0, category        a category                      hour, day, week, month
--   repository_id = 0, rule_id,     category = -1   a rule                          day, week, month
--   repository_id = 0, rule_id,     category        a category of a rule            day, week, month
--   repository_id,     rule_id = 0, category = -1   a repository                    day, week, month
--   repository_id,     rule_id = 0, category        a category in a repository      day, week, month
--
-- A period is cut into the longest grains that fit, its ragged ends are read from the findings (finding_raised and its
-- sisters), as is every combination with rules and repositories. The number of rows that a report reads is therefore
-- bounded by its filters and its period, however many findings there are.
create table finding_count (
  deployment_id bigint not null references deployment (id) on delete cascade,
  repository_id bigint not null,
  rule_id bigint not null,
  category smallint not null,
  -- h hour, d day, w week from Monday, m month; all in UTC.
  grain "char" not null,
  starts_at timestamptz not null,
  -- Raised for pull requests: each finding in one of these.
  silenced integer not null,
  open integer not null,
  fixed integer not null,
  ignored integer not null,
  provisional integer not null,
  -- The funnel, of branches and pull requests alike: what is neither fixed nor ignored, the part of it that is possibly
  -- exploitable, the part of that in exposed repositories, and the part of that which is a priority. 'ai' counts as code.
  code_standing integer not null,
  code_exploitable integer not null,
  code_exposed integer not null,
  code_priority integer not null,
  sca_standing integer not null,
  sca_exploitable integer not null,
  sca_exposed integer not null,
  sca_priority integer not null,
  secrets_standing integer not null,
  secrets_exploitable integer not null,
  secrets_exposed integer not null,
  secrets_priority integer not null,
  primary key (deployment_id, repository_id, rule_id, category, grain, starts_at)
) with (fillfactor = 70);
call protect_tenant_table('finding_count');

-- What the findings of a deployment (or of one repository) amount to, in all scopes and grains: the one place that says how
-- counters follow from findings. `changes` says how many of each kind were added, or taken away.
create function finding_sums(repositories bigint[], rules bigint[], categories smallint[], hours timestamptz[],
    cells smallint[], changes integer[])
  returns table (repository_id bigint, rule_id bigint, category smallint, grain "char", starts_at timestamptz,
    sums integer[]) language sql stable as $$
  with change as (
    select t.repository_id, t.rule_id, t.category, t.hour, t.cell & 7 as standing, (t.cell >> 3) & 3 as product,
      t.cell >> 5 as depth, t.change
    from unnest(repositories, rules, categories, hours, cells, changes)
      as t (repository_id, rule_id, category, hour, cell, change)
  ), scoped as (
    select scope.*, c.hour, c.standing, c.product, c.depth, c.change
    from change c cross join lateral (values
      (0::bigint, 0::bigint, -1::smallint, true), (0, 0, c.category, true), (0, c.rule_id, -1, false),
      (0, c.rule_id, c.category, false),
      (c.repository_id, 0, -1, false), (c.repository_id, 0, c.category, false)
    ) as scope (repository_id, rule_id, category, hourly)
  )
  select s.repository_id, s.rule_id, s.category, g.grain, date_trunc(g.unit, s.hour, 'UTC') as starts_at,
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
  from scoped s
  join (values ('h'::"char", 'hour'), ('d', 'day'), ('w', 'week'), ('m', 'month')) as g (grain, unit)
    on s.hourly or g.grain <> 'h'
  group by s.repository_id, s.rule_id, s.category, g.grain, date_trunc(g.unit, s.hour, 'UTC')
$$;

-- In the order of the key, and at the end of a transaction, so that two who count wait for each other and never in a circle.
create function move_finding_counts(deployment bigint, repositories bigint[], rules bigint[], categories smallint[],
    hours timestamptz[], cells smallint[], changes integer[])
  returns void language sql as $$
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

-- All findings of a repository, added to the counters or taken from them.
create function count_repository_findings(deployment bigint, repository bigint, sign integer) returns void language sql as $$
  select move_finding_counts(deployment, array_agg(repository), array_agg(rule_id), array_agg(category), array_agg(hour),
    array_agg(cell), array_agg(sign * number))
  from (
    select f.rule_id, f.category, date_trunc('hour', f.raised_at, 'UTC') as hour, f.cell, count(*)::integer as number
    from finding f where f.deployment_id = deployment and f.repository_id = repository
    group by f.rule_id, f.category, date_trunc('hour', f.raised_at, 'UTC'), f.cell
  ) sums
$$;

create function expose_findings() returns trigger language plpgsql as $$
begin
  perform count_repository_findings(new.deployment_id, new.id, -1);
  update finding set exposed = new.publicly_exposed where deployment_id = new.deployment_id and repository_id = new.id;
  perform count_repository_findings(new.deployment_id, new.id, 1);
  return null;
end $$;
create trigger expose_findings after update of publicly_exposed on repository for each row
  when (old.publicly_exposed <> new.publicly_exposed) execute function expose_findings();

create function delete_findings() returns trigger language plpgsql as $$
begin
  perform count_repository_findings(old.deployment_id, old.id, -1);
  delete from finding_history h using finding f
  where f.deployment_id = old.deployment_id and f.repository_id = old.id
    and h.deployment_id = f.deployment_id and h.finding_id = f.id;
  delete from finding where deployment_id = old.deployment_id and repository_id = old.id;
  -- By now they are empty, and nobody will ask for them again.
  delete from finding_count where deployment_id = old.deployment_id and repository_id = old.id;
  return old;
end $$;
create trigger delete_findings before delete on repository for each row execute function delete_findings();

-- Scans may bring findings. Those that bring nothing else leave the inventory of their repository alone.
alter table scan add column finding_count integer not null default 0;
alter table scan add column findings_only boolean not null default false;
