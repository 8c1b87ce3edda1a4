-- Accounts of programs. Each is a row of `person` without a password: it is in teams, has tokens and stands in the audit log as
-- people do, and nobody can sign in as it. It belongs to one deployment and to none of the people who made it.
alter table person
  add column is_service boolean not null default false,
  add constraint person_service check (not is_service or (password_hash = '' and not operator));
grant select (is_service) on person to gatehouse_app;

create table service_account (
  deployment_id bigint not null,
  person_id bigint not null,
  name text not null,
  description text not null,
  -- Null: everything the role allows.
  scopes text[],
  -- Who made it, for information: it outlives them.
  created_by bigint not null,
  created_at timestamptz not null default now(),
  version bigint not null default 1,
  primary key (deployment_id, person_id),
  foreign key (deployment_id, person_id) references membership (deployment_id, person_id) on delete cascade
);
create unique index service_account_name on service_account (deployment_id, lower(name));
call protect_tenant_table('service_account');
create policy identity on service_account to gatehouse_identity using (true);
grant select (deployment_id, person_id, scopes) on service_account to gatehouse_identity;

-- The tenant role makes such accounts, and removes those of its own deployment, in these ways alone.
create function create_service_account(address text, given_name text)
  returns bigint language plpgsql security definer set search_path from current as $$
declare
  account bigint := nextval('person_id_seq');
begin
  insert into person (id, email, name, password_hash, is_service) overriding system value
    values (account, address, given_name, '', true);
  return account;
end $$;
revoke execute on function create_service_account from public;
grant execute on function create_service_account to gatehouse_app;

create function remove_service_account(account bigint)
  returns boolean language plpgsql security definer set search_path from current as $$
begin
  delete from person where id = account and is_service and exists (
    select from service_account s where s.deployment_id = current_deployment() and s.person_id = person.id);
  return found;
end $$;
revoke execute on function remove_service_account from public;
grant execute on function remove_service_account to gatehouse_app;

-- Row-level security holds for the owner of the schema too, as whom the functions run.
create policy service_account_made on person for insert with check (is_service);
create policy service_account_seen on person for select using (is_service and exists (
  select from service_account s where s.deployment_id = current_deployment() and s.person_id = person.id));
create policy service_account_removed on person for delete using (is_service and exists (
  select from service_account s where s.deployment_id = current_deployment() and s.person_id = person.id));

alter table api_token
  -- Who made it: the person themselves, or the admin who made it for a service account. Null: made before this was kept.
  add column made_by bigint,
  -- The last reminder that it expires: so many days before. Null: none yet.
  add column reminded_days integer;
create index api_token_expiry on api_token (expires_at) where revoked_at is null;
create index api_token_owner on api_token (deployment_id, person_id);
