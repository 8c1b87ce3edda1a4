-- Questions that people ask again, as the part of an address behind the `?`: their own, and those they share.
create table saved_view (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  page text collate "C" not null check (page in ('findings', 'issues')),
  -- Who made it. A shared one stays when they leave.
  owner_id bigint not null,
  owner_name text not null,
  name text not null,
  search text not null,
  shared boolean not null,
  version bigint not null default 1,
  created_at timestamptz(3) not null default statement_timestamp(),
  primary key (deployment_id, id)
);
create index saved_view_own on saved_view (deployment_id, page, owner_id, id);
create index saved_view_shared on saved_view (deployment_id, page, id) where shared;
call protect_tenant_table('saved_view');

-- How somebody wants the console to look.
create table person_preference (
  deployment_id bigint not null,
  person_id bigint not null,
  content jsonb not null,
  version bigint not null default 1,
  primary key (deployment_id, person_id),
  foreign key (deployment_id, person_id) references membership (deployment_id, person_id) on delete cascade
);
call protect_tenant_table('person_preference');

create function delete_own_views() returns trigger language plpgsql as $$
begin
  delete from saved_view where deployment_id = old.deployment_id and owner_id = old.person_id and not shared;
  return old;
end $$;
create trigger membership_views after delete on membership for each row execute function delete_own_views();
