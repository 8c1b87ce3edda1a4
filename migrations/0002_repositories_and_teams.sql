create table repository (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  name text not null,
  default_branch text not null,
  archived boolean not null default false,
  publicly_exposed boolean not null default false,
  created_at timestamptz not null default now(),
  version bigint not null default 1,
  primary key (deployment_id, id),
  unique (deployment_id, name)
);
call protect_tenant_table('repository');

create table tag (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  name text not null,
  primary key (deployment_id, id),
  unique (deployment_id, name)
);
call protect_tenant_table('tag');

create table repository_tag (
  deployment_id bigint not null,
  repository_id bigint not null,
  tag_id bigint not null,
  primary key (deployment_id, repository_id, tag_id),
  foreign key (deployment_id, repository_id) references repository on delete cascade,
  foreign key (deployment_id, tag_id) references tag on delete cascade
);
create index repository_tag_tag on repository_tag (deployment_id, tag_id);
call protect_tenant_table('repository_tag');

create table team (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  name text not null,
  slug text not null,
  parent_team_id bigint,
  -- 1 for a team without a parent; a team tree has three levels.
  level integer not null check (level between 1 and 3),
  -- New repositories and new people are put into these.
  is_project_default boolean not null default false,
  is_user_default boolean not null default false,
  created_at timestamptz not null default now(),
  version bigint not null default 1,
  primary key (deployment_id, id),
  unique (deployment_id, slug),
  foreign key (deployment_id, parent_team_id) references team (deployment_id, id)
);
create index team_parent on team (deployment_id, parent_team_id);
call protect_tenant_table('team');

create table team_member (
  deployment_id bigint not null,
  team_id bigint not null,
  person_id bigint not null,
  role text not null check (role in ('TEAM_ROLE_MEMBER', 'TEAM_ROLE_MANAGER', 'TEAM_ROLE_READONLY')),
  primary key (deployment_id, team_id, person_id),
  foreign key (deployment_id, team_id) references team on delete cascade,
  foreign key (deployment_id, person_id) references membership on delete cascade
);
create index team_member_person on team_member (deployment_id, person_id);
call protect_tenant_table('team_member');

create table team_repository (
  deployment_id bigint not null,
  team_id bigint not null,
  repository_id bigint not null,
  primary key (deployment_id, team_id, repository_id),
  foreign key (deployment_id, team_id) references team on delete cascade,
  foreign key (deployment_id, repository_id) references repository on delete cascade
);
create index team_repository_repository on team_repository (deployment_id, repository_id);
call protect_tenant_table('team_repository');

-- What a person sees who is neither owner nor admin: the repositories of their teams and of the teams below them.
-- The tree has three levels, so two steps down reach everything; each branch starts at the person and follows indexes.
create view visible_repository with (security_invoker = true) as
  select member.deployment_id, member.person_id, held.repository_id
  from team_member member
  join team_repository held on held.deployment_id = member.deployment_id and held.team_id = member.team_id
  union all
  select member.deployment_id, member.person_id, held.repository_id
  from team_member member
  join team child on child.deployment_id = member.deployment_id and child.parent_team_id = member.team_id
  join team_repository held on held.deployment_id = child.deployment_id and held.team_id = child.id
  union all
  select member.deployment_id, member.person_id, held.repository_id
  from team_member member
  join team child on child.deployment_id = member.deployment_id and child.parent_team_id = member.team_id
  join team grandchild on grandchild.deployment_id = child.deployment_id and grandchild.parent_team_id = child.id
  join team_repository held on held.deployment_id = grandchild.deployment_id and held.team_id = grandchild.id;
grant select on visible_repository to gatehouse_app;
