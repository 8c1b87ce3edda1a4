-- compatible-with: 0072
-- What was seen in artifacts that came through the firewall, where rules asked for it and metadata could not say it.
create table firewall_archive (
  deployment_id bigint not null references deployment (id) on delete cascade,
  name text collate "C" not null,
  ecosystem text collate "C" not null,
  -- What its registry says that it hashes to.
  digest text collate "C" not null,
  version text collate "C" not null,
  -- {signals: [{signal, because}], installScript, isUnreadable}
  seen jsonb not null,
  seen_at timestamptz(3) not null default statement_timestamp(),
  primary key (deployment_id, name, ecosystem, digest)
);
call protect_tenant_table('firewall_archive');
