-- compatible-with: 0119
-- Packages that somebody wants to hear about, with what was known when they last looked: what differs from it now is news.
create table package_watch (
  deployment_id bigint not null,
  person_id bigint not null,
  ecosystem text collate "C" not null,
  -- By the spelling rules of its ecosystem; `shown_name` is as it was written.
  name text collate "C" not null,
  shown_name text not null,
  created_at timestamptz(3) not null default statement_timestamp(),
  seen_at timestamptz(3) not null default statement_timestamp(),
  seen_repositories bigint[] not null,
  seen_versions text[] not null,
  seen_vulnerabilities text[] not null,
  -- Whether the firewall kept a version in use out.
  seen_kept_out boolean not null,
  primary key (deployment_id, person_id, ecosystem, name),
  foreign key (deployment_id, person_id) references membership (deployment_id, person_id) on delete cascade
);
call protect_tenant_table('package_watch');
