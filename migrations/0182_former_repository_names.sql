-- compatible-with: 0105
-- Names that repositories had before they were renamed: builds go on uploading under them. A repository that has such a name now comes first.
create table former_repository_name (
  deployment_id bigint not null references deployment (id) on delete cascade,
  name text not null,
  repository_id bigint not null,
  primary key (deployment_id, name),
  foreign key (deployment_id, repository_id) references repository (deployment_id, id) on delete cascade
);
create index former_repository_name_of on former_repository_name (deployment_id, repository_id);
call protect_tenant_table('former_repository_name');
