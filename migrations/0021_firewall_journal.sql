-- How far the journals of requests that were let through are counted. A process notes them in a file, segment after segment, and
-- its segment moves on here in the transaction that counts it: who finds the file again knows whether that happened.
create table firewall_journal (
  deployment_id bigint not null references deployment (id) on delete cascade,
  journal uuid not null,
  segment bigint not null,
  counted_at timestamptz(0) not null default now(),
  primary key (deployment_id, journal)
) with (fillfactor = 70);
call protect_tenant_table('firewall_journal');
