-- compatible-with: 0072
-- What files of Go modules hashed to when they first came from a registry that no checksum database vouches for. They must not
-- change from then on.
create table module_sum (
  deployment_id bigint not null references deployment (id) on delete cascade,
  -- Address of the registry.
  registry text collate "C" not null,
  -- Its path there: module, version and kind.
  file text collate "C" not null,
  sum text collate "C" not null,
  seen_at timestamptz(3) not null default statement_timestamp(),
  primary key (deployment_id, registry, file)
);
call protect_tenant_table('module_sum');
