-- compatible-with: 0072
-- How many days a finding may stand, by its severity; null where there is no such limit. When a finding is due is not kept with
-- it: it is counted from when the finding was raised, so that a changed deadline holds for all of them at once.
create table finding_deadline (
  deployment_id bigint primary key references deployment (id) on delete cascade,
  critical integer check (critical between 1 and 3650),
  high integer check (high between 1 and 3650),
  medium integer check (medium between 1 and 3650),
  low integer check (low between 1 and 3650),
  info integer check (info between 1 and 3650),
  version integer not null default 1
);
call protect_tenant_table('finding_deadline');
