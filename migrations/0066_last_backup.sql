-- compatible-with: 0065
-- When a backup was last made to its end, for whoever looks after the installation.
create table last_backup (
  is_only boolean primary key default true check (is_only),
  finished_at timestamptz not null,
  bytes bigint not null
);
grant select on last_backup to gatehouse_worker;
