-- What bills of materials say about vulnerabilities: that something has one, or that it does not matter there (VEX). Kept as
-- it was said; nothing is decided by it yet. It belongs to its file and goes with it.
create table bill_statement (
  deployment_id bigint not null,
  repository_id bigint not null,
  id bigint generated always as identity,
  lockfile_id bigint not null,
  -- For example CVE-2021-44228; '' where the document gives no id.
  vulnerability text collate "C" not null,
  -- The document's own words, for example not_affected and code_not_reachable; '' where it gives none.
  state text not null,
  justification text not null,
  -- [{ref, ecosystem, name, version}], JSON as text: nothing looks into it, and jsonb would order its members anew.
  affects text not null,
  -- The statement as the document has it, JSON as text.
  document text not null,
  primary key (deployment_id, repository_id, id),
  foreign key (deployment_id, repository_id, lockfile_id) references lockfile on delete cascade
);
create index bill_statement_lockfile on bill_statement (deployment_id, repository_id, lockfile_id);
create index bill_statement_vulnerability on bill_statement (deployment_id, repository_id, vulnerability, id);
call protect_tenant_table('bill_statement');

alter table lockfile add column statement_count integer not null default 0;
