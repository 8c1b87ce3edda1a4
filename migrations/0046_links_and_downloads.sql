-- Where a repository is looked at in a browser. '' and '{}': nobody said.
alter table repository
  add column web_url text not null default '',
  -- Addresses of a file, a commit and a pull request with {path}, {line}, {commit}, {ref} and {number} in them.
  add column link_templates jsonb not null default '{}';

-- Exports that were asked for and are about to be fetched by a browser, each once. The ticket itself is not stored.
create table export_ticket (
  deployment_id bigint not null,
  ticket_hash bytea not null,
  person_id bigint not null,
  request jsonb not null,
  expires_at timestamptz not null,
  primary key (deployment_id, ticket_hash),
  foreign key (deployment_id, person_id) references membership (deployment_id, person_id) on delete cascade
);
create index export_ticket_expiry on export_ticket (deployment_id, expires_at);
call protect_tenant_table('export_ticket');
