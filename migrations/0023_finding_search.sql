-- Searches and counts that do not read every finding.

-- How many findings there are of each kind: state + 8 * severity + 64 * product + 512 for those of pull requests. Moves with
-- the findings, in their transaction, by move_finding_tallies alone; repository_id = 0 is the whole deployment.
create table finding_tally (
  deployment_id bigint not null references deployment (id) on delete cascade,
  repository_id bigint not null,
  kind smallint not null,
  number integer not null,
  primary key (deployment_id, repository_id, kind)
) with (fillfactor = 70);
call protect_tenant_table('finding_tally');

create function finding_kind(state smallint, severity smallint, product smallint, pull_request integer) returns smallint
  language sql immutable
  return (state + 8 * severity + 64 * product + case when pull_request > 0 then 512 else 0 end)::smallint;

-- In the order of the key, and at the end of a transaction, like the other counters.
create function move_finding_tallies(deployment bigint, repositories bigint[], kinds smallint[], changes integer[])
  returns void language sql as $$
  insert into finding_tally as t
  select deployment, scope.repository_id, c.kind, sum(c.change)
  from unnest(repositories, kinds, changes) as c (repository_id, kind, change)
  cross join lateral (values (0::bigint), (c.repository_id)) as scope (repository_id)
  group by scope.repository_id, c.kind having sum(c.change) <> 0
  order by scope.repository_id, c.kind
  on conflict (deployment_id, repository_id, kind) do update set number = t.number + excluded.number
$$;

-- Also for an owner of the tables who is no superuser.
alter table finding no force row level security;
alter table finding_tally no force row level security;
insert into finding_tally
select f.deployment_id, scope.repository_id, finding_kind(f.state, f.severity, f.product, f.pull_request), count(*)
from finding f cross join lateral (values (0::bigint), (f.repository_id)) as scope (repository_id) group by 1, 2, 3;
alter table finding force row level security;
alter table finding_tally force row level security;

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

-- What some findings that follow each other by id say (titles, messages, paths, weaknesses, vulnerabilities), as a signature:
-- a search reads only findings whose signature has all that it looks for. A text index would not be used, because its
-- operators may leak under row-level security, and would cost more than the findings themselves. Written after the fact by a
-- task of its own: what has no signature yet, and what comes after the last block, is read as before.
create table finding_block (
  deployment_id bigint not null references deployment (id) on delete cascade,
  -- Blocks follow each other without gaps: a finding that was numbered early and committed late has one too.
  last_id bigint not null,
  first_id bigint not null,
  -- Transactions before this one may still bring findings into the block; until they have ended it has no signature.
  horizon bigint not null,
  signature bit(8192),
  primary key (deployment_id, last_id)
);
alter table finding_block alter column signature set storage plain;
create index finding_block_unsigned on finding_block (deployment_id, last_id) where signature is null;
call protect_tenant_table('finding_block');

-- Findings that say something else since their block was signed.
create table finding_unsigned (
  deployment_id bigint not null references deployment (id) on delete cascade,
  finding_id bigint not null
);
create index finding_unsigned_id on finding_unsigned (deployment_id, finding_id);
call protect_tenant_table('finding_unsigned');
