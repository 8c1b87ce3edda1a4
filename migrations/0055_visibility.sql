-- What new people see: all repositories ('all'), or those of the teams that somebody puts them into ('teams').
alter table deployment add column new_people_see text not null default 'all' check (new_people_see in ('all', 'teams'));

-- The names that a team claims: every repository of such a name is the team's, those that come later too.
create table team_pattern (
  deployment_id bigint not null,
  team_id bigint not null,
  pattern text not null,
  -- The same as a regular expression, made by who wrote the pattern down.
  expression text not null,
  primary key (deployment_id, team_id, pattern),
  foreign key (deployment_id, team_id) references team on delete cascade
);
call protect_tenant_table('team_pattern');

-- Whether its members may bring new repositories of the claimed names by uploading scans of them.
alter table team add column members_create boolean not null default false;

-- A repository is in a team because somebody put it there, because its name is claimed, or both.
alter table team_repository
  add column by_hand boolean not null default true,
  add column claimed boolean not null default false,
  add constraint team_repository_reason check (by_hand or claimed);
