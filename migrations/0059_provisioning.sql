-- People and groups as the directory of a company (Entra ID, Okta) sends them by SCIM. It decides about memberships of the one
-- deployment that its token is of, and about accounts only where they were made for it and belong nowhere else.

-- Suspended: no session and no token of the person reaches the deployment. Everything else of the membership stays.
alter table membership add column suspended_at timestamptz;

create table provisioning (
  deployment_id bigint primary key references deployment (id) on delete cascade,
  enabled boolean not null,
  -- The account that the tokens of the directory belong to: nobody signs in as it.
  person_id bigint not null,
  default_role text not null check (default_role in ('readonly', 'member', 'admin')),
  last_request_at timestamptz,
  version bigint not null default 1,
  foreign key (deployment_id, person_id) references membership (deployment_id, person_id) on delete cascade
);
call protect_tenant_table('provisioning');

-- What being in a group of the directory gives: a role, a place in a team, or both.
create table provisioning_rule (
  deployment_id bigint not null references provisioning (deployment_id) on delete cascade,
  place integer not null,
  group_name text not null,
  role text check (role in ('readonly', 'member', 'admin')),
  team_id bigint,
  primary key (deployment_id, place),
  foreign key (deployment_id, team_id) references team (deployment_id, id) on delete cascade,
  check (role is not null or team_id is not null)
);
create index provisioning_rule_team on provisioning_rule (deployment_id, team_id);
call protect_tenant_table('provisioning_rule');

create table provisioned_user (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  -- Null: invited, and not here yet. Who is removed from the deployment is no longer provisioned.
  person_id bigint,
  user_name text not null,
  external_id text not null,
  address text not null,
  -- {"givenName", "familyName", "formatted", "displayName"}, as far as they were sent.
  names jsonb not null,
  active boolean not null,
  -- Whether the account was made for this.
  made_account boolean not null default false,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  version bigint not null default 1,
  primary key (deployment_id, id),
  foreign key (deployment_id, person_id) references membership (deployment_id, person_id) on delete cascade
);
create unique index provisioned_user_name on provisioned_user (deployment_id, lower(user_name));
create unique index provisioned_user_person on provisioned_user (deployment_id, person_id);
create unique index provisioned_user_address on provisioned_user (deployment_id, lower(address));
create index provisioned_user_external on provisioned_user (deployment_id, external_id);
call protect_tenant_table('provisioned_user');

create table provisioned_group (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  display_name text not null,
  external_id text not null,
  created_at timestamptz not null,
  changed_at timestamptz not null,
  version bigint not null default 1,
  primary key (deployment_id, id)
);
create unique index provisioned_group_name on provisioned_group (deployment_id, lower(display_name));
create index provisioned_group_external on provisioned_group (deployment_id, external_id);
call protect_tenant_table('provisioned_group');

create table provisioned_member (
  deployment_id bigint not null,
  group_id bigint not null,
  user_id bigint not null,
  primary key (deployment_id, group_id, user_id),
  foreign key (deployment_id, group_id) references provisioned_group on delete cascade,
  foreign key (deployment_id, user_id) references provisioned_user on delete cascade
);
create index provisioned_member_user on provisioned_member (deployment_id, user_id);
call protect_tenant_table('provisioned_member');

-- What the directory changed and what it was refused: the newest of a deployment.
create table provisioning_request (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  at timestamptz not null,
  method text not null,
  path text not null,
  status integer not null,
  detail text not null,
  primary key (deployment_id, id)
);
call protect_tenant_table('provisioning_request');

-- Whoever joins with an address that was provisioned is that user, however they came in; suspended where the directory says so.
create function adopt_provisioned() returns trigger language plpgsql as $$
declare
  is_active boolean;
begin
  update provisioned_user u set person_id = new.person_id
    where u.deployment_id = new.deployment_id and u.person_id is null
      and lower(u.address) = (select lower(person.email) from person where person.id = new.person_id)
    returning u.active into is_active;
  if is_active = false then
    update membership set suspended_at = now() where deployment_id = new.deployment_id and person_id = new.person_id;
  end if;
  return null;
end $$;
create trigger membership_provisioned after insert on membership for each row execute function adopt_provisioned();

-- The tenant role makes accounts for the directory in one way alone: for an address that was provisioned to its deployment,
-- without a password, and never an operator. Null where the address has an account already: that one is left as it is.
create function create_provisioned_account(provisioned bigint, given_name text)
  returns bigint language plpgsql security definer set search_path from current as $$
declare
  account bigint := nextval('person_id_seq');
  wanted text;
begin
  select address into wanted from provisioned_user
    where deployment_id = current_deployment() and id = provisioned and person_id is null for update;
  if wanted is null then
    return null;
  end if;
  insert into person (id, email, name, password_hash, operator) overriding system value
    values (account, wanted, given_name, '', false) on conflict do nothing;
  return case when found then account end;
end $$;
revoke execute on function create_provisioned_account from public;
grant execute on function create_provisioned_account to gatehouse_app;

-- Row-level security holds for the owner of the schema too, as whom the function runs.
create policy provisioned on person for insert with check (not operator and not is_service and password_hash = '' and exists (
  select from provisioned_user u where u.deployment_id = current_deployment() and u.person_id is null
    and lower(u.address) = lower(person.email)));
