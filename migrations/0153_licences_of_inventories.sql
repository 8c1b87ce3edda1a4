-- compatible-with: 0105
-- How many dependencies of a repository are under each licence, so that whoever counts licences reads repositories and not
-- dependencies. Right as long as its inventory is still that of the scan; without such a row the dependencies are read.
create table inventory_licences (
  deployment_id bigint not null,
  repository_id bigint not null,
  -- The scan that the inventory was of.
  scan_id bigint not null,
  -- SPDX ids, each once; '' for texts that are none, null for dependencies whose file gives none.
  licences text[] not null,
  -- In the order of the licences.
  dependency_counts integer[] not null,
  primary key (deployment_id, repository_id),
  foreign key (deployment_id, repository_id) references repository on delete cascade
);
call protect_tenant_table('inventory_licences');
