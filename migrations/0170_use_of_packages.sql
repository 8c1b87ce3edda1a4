-- compatible-with: 0105
-- How many repositories and dependencies have each package, so that packages are sorted by their use without reading dependencies.
-- Sums of the repositories in inventory_packages, and moved in one transaction with those, by one task alone.
create table package_use (
  deployment_id bigint not null references deployment (id) on delete cascade,
  package_id bigint not null,
  repositories bigint not null,
  dependencies bigint not null,
  -- Those of the package, so that an index has the whole order.
  name text collate "C" not null,
  ecosystem text collate "C" not null,
  primary key (deployment_id, package_id)
);
create index package_use_repositories on package_use (deployment_id, repositories, name, ecosystem);
create index package_use_dependencies on package_use (deployment_id, dependencies, name, ecosystem);
call protect_tenant_table('package_use');

-- The same for each version.
create table package_version_use (
  deployment_id bigint not null references deployment (id) on delete cascade,
  package_version_id bigint not null,
  repositories bigint not null,
  dependencies bigint not null,
  primary key (deployment_id, package_version_id)
);
call protect_tenant_table('package_version_use');

-- What each repository that is not archived brings to these sums, and the inventory it is of. A repository that is gone stays here
-- until it is taken out of the sums. Lists are kept apart from the rows, which are read for every page.
create table inventory_packages (
  deployment_id bigint not null references deployment (id) on delete cascade,
  repository_id bigint not null,
  -- The scan that the inventory was of.
  scan_id bigint not null,
  -- How many versions there are in the list of them.
  version_count integer not null,
  package_ids bigint[] not null,
  -- Dependencies, in the order of the packages.
  package_counts integer[] not null,
  version_ids bigint[] not null,
  -- Dependencies, in the order of the versions.
  version_counts integer[] not null,
  primary key (deployment_id, repository_id)
) with (toast_tuple_target = 128);
call protect_tenant_table('inventory_packages');
