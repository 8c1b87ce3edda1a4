-- compatible-with: 0072
-- Bills of materials of versions of a repository that are not its default branch, as other products keep them for each release.
-- They are compared with advisories when they are asked for, and count nowhere else.
create table version_bill (
  deployment_id bigint not null,
  repository_id bigint not null,
  version text not null,
  source text not null,
  scan_id bigint not null,
  -- The one of its repository that was last said to be the latest.
  is_latest boolean not null,
  component_count integer not null,
  updated_at timestamptz not null default now(),
  primary key (deployment_id, repository_id, version),
  foreign key (deployment_id, repository_id) references repository (deployment_id, id) on delete cascade
);
create index version_bill_age on version_bill (deployment_id, repository_id, updated_at);
call protect_tenant_table('version_bill');

-- Some components of one, column by column: they are only ever read together.
create table version_bill_part (
  deployment_id bigint not null,
  repository_id bigint not null,
  version text not null,
  part integer not null,
  path text not null,
  ecosystem text[] not null,
  name text[] not null,
  shown_name text[] not null,
  component_version text[] not null,
  order_key bytea[] not null,
  ordinal integer[] not null,
  line integer[] not null,
  transitivity "char"[] not null,
  resolved text[] not null,
  primary key (deployment_id, repository_id, version, part),
  foreign key (deployment_id, repository_id, version) references version_bill (deployment_id, repository_id, version)
    on delete cascade
);
call protect_tenant_table('version_bill_part');
