-- What every repository contains. Built for ten million dependencies in two thousand repositories: what many rows share
-- (packages, versions, licences) is written once and referred to by number, and the path of each question is an index.

-- A package that any repository of the deployment ever had. Tens of thousands of rows: "name contains" reads them all
-- (strpos on search_text), because under row-level security a trigram index would not be used: its operators may leak.
create table package (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  ecosystem text collate "C" not null,
  -- Normalised by the rules of the ecosystem: the one spelling for exact lookups.
  name text collate "C" not null,
  -- As the first document that named it wrote it.
  shown_name text collate "C" not null,
  -- name and, where it differs, shown_name on a second line, in lower case: what "contains" looks into.
  search_text text collate "C" not null,
  primary key (deployment_id, id)
);
create unique index package_name on package (deployment_id, name, ecosystem);
call protect_tenant_table('package');

create table package_version (
  deployment_id bigint not null,
  id bigint generated always as identity,
  package_id bigint not null,
  -- '' where a document names a package without a version.
  version text collate "C" not null,
  -- Bytes whose order is the version order of the ecosystem, so that a range of versions is a range of this index.
  order_key bytea not null,
  primary key (deployment_id, id),
  foreign key (deployment_id, package_id) references package on delete cascade
);
create unique index package_version_version on package_version (deployment_id, version, package_id);
create index package_version_order on package_version (deployment_id, package_id, order_key) include (id);
-- "This version of any package", in every spelling that the ecosystem takes for the same.
create index package_version_key on package_version (deployment_id, order_key) include (package_id, id);
call protect_tenant_table('package_version');

-- Each licence text that documents gave, once.
create table licence (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  -- An SPDX expression, or the text as it was found where it is none.
  expression text not null,
  -- SHA-256 of the expression, which may be longer than an index entry.
  digest bytea not null,
  -- The SPDX ids that take part in the expression, without exceptions and `+`; empty where it is none.
  spdx_ids text[] collate "C" not null,
  primary key (deployment_id, id)
);
create unique index licence_digest on licence (deployment_id, digest);
call protect_tenant_table('licence');

-- One upload: what it was about, who sent it, and the receipt they got. Never changed afterwards.
create table scan (
  deployment_id bigint not null,
  id bigint generated always as identity,
  repository_id bigint not null,
  kind text not null check (kind in ('SCAN_KIND_FULL', 'SCAN_KIND_PULL_REQUEST')),
  -- The branch (or tag) that was scanned; for a pull request the branch it comes from.
  ref text not null,
  -- '' where the sender did not say.
  commit text not null,
  -- 0 and '' unless it is a scan for a pull request.
  pull_request integer not null default 0,
  base_ref text not null default '',
  tool text not null default '',
  -- SHA-256 over paths, contents and the version of our readers: recognises a repeated upload.
  digest bytea not null,
  -- Whether it became the repository's inventory: a full scan of its default branch.
  is_inventory boolean not null,
  file_count integer not null,
  dependency_count integer not null,
  problem_count integer not null,
  receipt jsonb not null,
  person_id bigint not null,
  token_id bigint not null,
  created_at timestamptz not null default now(),
  primary key (deployment_id, id),
  foreign key (deployment_id, repository_id) references repository on delete cascade
);
create index scan_repository on scan (deployment_id, repository_id, id);
create index scan_repetition on scan (deployment_id, repository_id, digest);
call protect_tenant_table('scan');

-- The current inventory of a repository: which scan it comes from, and its sums. No row: never scanned in full.
create table inventory (
  deployment_id bigint not null,
  repository_id bigint not null,
  scan_id bigint not null,
  lockfile_count integer not null,
  dependency_count integer not null,
  -- Whether at least one of its files tells who depends on whom.
  has_graph boolean not null,
  updated_at timestamptz not null default now(),
  primary key (deployment_id, repository_id),
  foreign key (deployment_id, repository_id) references repository on delete cascade
);
call protect_tenant_table('inventory');

-- The files of the current inventory: lockfiles, manifests and bills of materials.
create table lockfile (
  deployment_id bigint not null,
  repository_id bigint not null,
  id bigint generated always as identity,
  -- In the repository, with '/' between its parts.
  path text collate "C" not null,
  -- The id of the reader, for example package-lock.
  format text not null,
  bytes bigint not null,
  -- SHA-256 of the content and the version of our readers: an unchanged file keeps its rows.
  digest bytea not null,
  -- The scan that brought this content; later scans with the same content leave it.
  scan_id bigint not null,
  dependency_count integer not null,
  -- What the receipt said of it, for scans that find it unchanged: the first problems and how many there are.
  problems jsonb not null,
  problem_count integer not null,
  has_graph boolean not null,
  -- Who depends on whom: pairs (from, to) of ordinals of dependency, each four bytes, little endian. Read as a whole to
  -- find a path, so it costs one value a file and not a row an edge.
  graph bytea not null,
  primary key (deployment_id, repository_id, id),
  foreign key (deployment_id, repository_id) references repository on delete cascade
);
create unique index lockfile_path on lockfile (deployment_id, path, repository_id);
call protect_tenant_table('lockfile');

-- The current dependencies, one row for each entry of each file. Rows are narrow and carry no foreign keys, because their
-- checks would cost more than the rows: they are written with their lockfile under a lock on the repository, they go
-- with it (trigger below), and packages, versions and licences are never deleted before their deployment.
create table dependency (
  deployment_id bigint not null,
  repository_id bigint not null,
  lockfile_id bigint not null,
  package_id bigint not null,
  package_version_id bigint not null,
  -- Null where the file says nothing.
  licence_id bigint,
  -- Place among the items of its file, from 0.
  ordinal integer not null,
  -- 0 where unknown.
  line integer not null,
  -- D direct, T transitive, U unknown.
  transitivity "char" not null,
  development boolean not null,
  -- Where it was fetched from, as the file says; '' where it says nothing.
  resolved text not null,
  primary key (deployment_id, repository_id, lockfile_id, ordinal)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);
-- From a version to the repositories that have it, with what the other filters ask for: no visit to the table itself.
create index dependency_version on dependency (deployment_id, package_version_id, repository_id)
  include (lockfile_id, licence_id, transitivity);
create index dependency_licence on dependency (deployment_id, licence_id, repository_id) where licence_id is not null;
call protect_tenant_table('dependency');

create function delete_dependencies() returns trigger language plpgsql as $$
begin
  delete from dependency
  where deployment_id = old.deployment_id and repository_id = old.repository_id and lockfile_id = old.id;
  return null;
end $$;
create trigger delete_dependencies after delete on lockfile for each row execute function delete_dependencies();
