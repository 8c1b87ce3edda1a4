-- compatible-with: 0105
-- Functions as Citus can run them: it plans no parameters of SQL functions, no volatile time in a change, and no row by its place. What
-- each answers is what it answered before.

create or replace function session_stands(given_session uuid, given_person bigint) returns boolean
  language plpgsql stable security definer set search_path from current as $$
begin
  return exists (select from session where id = given_session and person_id = given_person and revoked_at is null);
end $$;

create or replace function has_second_factor(account bigint) returns boolean
  language plpgsql stable security definer set search_path from current as $$
declare
  own constant bigint := current_deployment();
begin
  return exists (select from membership where deployment_id = own and person_id = account)
    and (exists (select from totp_factor where id = account) or exists (select from passkey where person_id = account));
end $$;

create or replace function create_provisioned_account(provisioned bigint, given_name text) returns bigint
  language plpgsql security definer set search_path from current as $$
declare
  account bigint := nextval('person_id_seq');
  own constant bigint := current_deployment();
  wanted text;
begin
  select address into wanted from provisioned_user
    where deployment_id = own and id = provisioned and person_id is null for update;
  if wanted is null then
    return null;
  end if;
  insert into person (id, email, name, password_hash, operator, unclaimed_since) overriding system value
    values (account, wanted, given_name, '', false, now()) on conflict do nothing;
  return case when found then account end;
end $$;

-- Rows are asked back, because Citus would copy those that are not, and does not copy under row-level security.
create or replace function move_finding_counts(deployment bigint, repositories bigint[], rules bigint[],
    categories smallint[], days timestamptz[], cells smallint[], changes integer[]) returns void
  language plpgsql as $$
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

create or replace function move_finding_tallies(deployment bigint, repositories bigint[], kinds smallint[],
    changes integer[]) returns void
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

-- Keys are few beside the rows of a deployment, whatever the planner knows of either.
create or replace function merge_finding_counts(deployment bigint, repositories bigint[], most integer) returns bigint
  language plpgsql set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  key record;
  added bigint;
begin
  select array_agg(k.repository_id) as repositories, array_agg(k.rule_id) as rules, array_agg(k.category) as categories,
    array_agg(k.grain) as grains, array_agg(k.starts_at) as starts into key
  from (
    select distinct oldest.repository_id, oldest.rule_id, oldest.category, oldest.grain, oldest.starts_at
    from (select c.repository_id, c.rule_id, c.category, c.grain, c.starts_at from finding_count c
      where c.deployment_id = deployment and not c.merged order by c.id limit most) oldest
    where oldest.repository_id = any(merge_finding_counts.repositories)) k;
  if key.repositories is null then
    return 0;
  end if;
  with taken as (
    delete from finding_count c using unnest(key.repositories, key.rules, key.categories, key.grains, key.starts)
      as k (repository_id, rule_id, category, grain, starts_at)
    where c.deployment_id = deployment and c.repository_id = k.repository_id and c.rule_id = k.rule_id
      and c.category = k.category and c.grain = k.grain and c.starts_at = k.starts_at
    returning c.*
  ), written as (
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
    returning 1)
  select count(*) into added from written;
  return cardinality(key.repositories);
end $$;

create or replace function merge_finding_tallies(deployment bigint, repositories bigint[], most integer) returns bigint
  language plpgsql set enable_hashjoin = off set enable_mergejoin = off as $$
declare
  key record;
  added bigint;
begin
  select array_agg(k.repository_id) as repositories, array_agg(k.kind) as kinds into key
  from (
    select distinct oldest.repository_id, oldest.kind
    from (select t.repository_id, t.kind from finding_tally t
      where t.deployment_id = deployment and not t.merged order by t.id limit most) oldest
    where oldest.repository_id = any(merge_finding_tallies.repositories)) k;
  if key.repositories is null then
    return 0;
  end if;
  with taken as (
    delete from finding_tally t using unnest(key.repositories, key.kinds) as k (repository_id, kind)
    where t.deployment_id = deployment and t.repository_id = k.repository_id and t.kind = k.kind
    returning t.repository_id, t.kind, t.number
  ), written as (
    insert into finding_tally (deployment_id, repository_id, kind, number, merged)
    select deployment, t.repository_id, t.kind, sum(t.number), true from taken t group by t.repository_id, t.kind
    having sum(t.number) <> 0
    returning 1)
  select count(*) into added from written;
  return cardinality(key.repositories);
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
  perform move_finding_counts(deployment, sums.repositories, sums.rules, sums.categories, sums.days, sums.cells, sums.numbers);
end $$;

create or replace function delete_findings() returns trigger
  language plpgsql as $$
declare
  tallies record;
begin
  perform count_repository_findings(old.deployment_id, old.id, -1);
  select array_agg(t.repository_id) as repositories, array_agg(t.kind) as kinds, array_agg(-t.number) as numbers into tallies
    from finding_tally t where t.deployment_id = old.deployment_id and t.repository_id = old.id;
  perform move_finding_tallies(old.deployment_id, tallies.repositories, tallies.kinds, tallies.numbers);
  delete from finding_history h using finding f
  where f.deployment_id = old.deployment_id and f.repository_id = old.id
    and h.deployment_id = f.deployment_id and h.finding_id = f.id;
  delete from finding where deployment_id = old.deployment_id and repository_id = old.id;
  -- By now they are empty, and nobody will ask for them again.
  delete from finding_count where deployment_id = old.deployment_id and repository_id = old.id;
  delete from finding_tally where deployment_id = old.deployment_id and repository_id = old.id;
  return old;
end $$;

create or replace function claim_due_jobs(kinds text[], most integer, most_per_tenant integer, lease interval,
    after_tenant bigint, after_lanes jsonb) returns setof outbox
  language plpgsql set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
declare
  most_lanes constant integer := 500;
  claimed integer := 0;
  tenant bigint := after_tenant;
  tenants_wrapped boolean := false;
  leased bigint;
  room integer;
  looked_at integer;
  start_lane text;
  last_lane text;
  lanes_wrapped boolean;
  moment timestamptz;
  head outbox;
begin
  -- One claims at a time: two would see the same lanes free.
  perform pg_advisory_xact_lock(4283746502);
  moment := clock_timestamp();
  -- What a process had taken that is no more.
  update outbox set leased_until = null where leased_until < moment;
  while claimed < most loop
    select o.deployment_id into tenant from outbox o
      where o.dead_at is null and o.leased_until is null and o.deployment_id > tenant
      order by o.deployment_id, o.lane, o.run_at, o.id limit 1;
    if tenant is null and not tenants_wrapped then
      tenants_wrapped := true;
      tenant := 0;
      continue;
    end if;
    exit when tenant is null or (tenants_wrapped and tenant > after_tenant);

    select count(*) into leased from outbox o where o.deployment_id = tenant and o.leased_until is not null;
    room := least(most - claimed, most_per_tenant - leased::integer);
    looked_at := 0;
    start_lane := coalesce(after_lanes ->> tenant::text, '');
    last_lane := start_lane;
    lanes_wrapped := start_lane = '';
    while room > 0 loop
      if looked_at = most_lanes then
        head := null;
        head.deployment_id := tenant;
        head.lane := last_lane;
        return next head;
        exit;
      end if;
      looked_at := looked_at + 1;
      select * into head from outbox o
        where o.dead_at is null and o.leased_until is null and o.deployment_id = tenant and o.lane > last_lane
        order by o.lane, o.run_at, o.id limit 1;
      if head.id is null and not lanes_wrapped then
        lanes_wrapped := true;
        last_lane := '';
        continue;
      end if;
      exit when head.id is null or (lanes_wrapped and start_lane <> '' and head.lane > start_lane);
      last_lane := head.lane;
      moment := clock_timestamp();
      -- A kind that this process does not know is left to one that does.
      if head.run_at <= moment and head.kind = any(kinds) and not exists (select from outbox o
          where o.deployment_id = tenant and o.lane = head.lane and o.leased_until is not null) then
        update outbox o set leased_until = moment + lease, attempt = o.attempt + 1
          where o.deployment_id = tenant and o.id = head.id returning * into head;
        return next head;
        room := room - 1;
        claimed := claimed + 1;
      end if;
    end loop;
  end loop;
end $$;

create or replace function audit_append(deployment bigint, after_seq bigint, at bigint, person bigint, token bigint, request text,
    events jsonb, keyed_from bigint, key_version integer, seal bytea) returns void
  language plpgsql security definer set search_path from current as $$
declare
  added bigint;
begin
  if deployment is distinct from current_deployment() then
    raise insufficient_privilege using message = 'the audit log of another deployment';
  end if;
  with written as (
    insert into audit_event (deployment_id, seq, at, person_id, token_id, request_id, action, target, detail, hash, key_version)
    select deployment, after_seq + place, timestamptz 'epoch' + audit_append.at * interval '1 microsecond', person, token,
      request, event ->> 'action', event ->> 'target', (event ->> 'detail')::jsonb, decode(event ->> 'hash', 'hex'),
      audit_append.key_version
    from jsonb_array_elements(events) with ordinality as given (event, place)
    returning 1)
  select count(*) into added from written;
  update audit_head head set seq = after_seq + jsonb_array_length(events),
      hash = decode(events -> -1 ->> 'hash', 'hex'), keyed_from = audit_append.keyed_from,
      key_version = audit_append.key_version, seal = audit_append.seal
    where head.deployment_id = deployment and head.seq = after_seq;
  if not found then
    raise exception 'the end of the audit log is another';
  end if;
end $$;
