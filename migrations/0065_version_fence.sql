-- Which processes may work on this schema: those that know at least the migration `oldest`. A migration that older processes do
-- not survive raises it in its own transaction, and every transaction asks for it when it begins.
create table schema_fence (
  is_only boolean primary key default true check (is_only),
  oldest integer not null
);
insert into schema_fence (oldest) values (65);
grant select on schema_fence to gatehouse_app, gatehouse_identity, gatehouse_worker;

create function refuse_overtaken(level integer) returns text language plpgsql stable parallel safe as $$
begin
  raise sqlstate 'GH001' using message = 'the schema is for a newer Gatehouse than one that knows migrations up to ' || level;
end $$;

-- For transactions that write. Whoever raises the fence takes the same lock alone, so a transaction is over before that happens,
-- or sees it. Volatile: what it reads is newer than the lock.
create function enter_fence(level integer) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(4283746512);
  if not exists (select from schema_fence where oldest <= level) then
    perform refuse_overtaken(level);
  end if;
end $$;

-- Processes from before the fence ask for nothing and would go on, counting wrongly. They name their tenant by another setting,
-- so whatever they do with the rows of one fails from here on.
create function tenant_of_older_process() returns bigint language plpgsql stable parallel safe as $$
begin
  if coalesce(current_setting('gatehouse.deployment', true), '') <> '' then
    raise sqlstate 'GH001' using message = 'the schema is for a newer Gatehouse than this process';
  end if;
  return null;
end $$;
create or replace function current_deployment() returns bigint language sql stable parallel safe
  return coalesce(nullif(current_setting('gatehouse.tenant', true), '')::bigint, tenant_of_older_process());
-- They would claim jobs all the same, fail, and use up their attempts.
alter function claim_jobs rename to claim_due_jobs;
-- And they take no new connection that is bound to a tenant by itself: they report that they are not ready.
do $$
begin
  execute format('alter database %I set gatehouse.deployment = %L', current_database(), 'a newer Gatehouse migrated it');
exception when insufficient_privilege then
  raise notice 'only the owner of the database may set defaults';
end $$;
