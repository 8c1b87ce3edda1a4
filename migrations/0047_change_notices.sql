-- What changed in a deployment, by name alone, for an hour: event streams tell of it and go on from any of these.
-- Written right after the change itself, in an order of ids that is the order of commits (see kernel/changes/announcing.ts).
create table change_notice (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  name text not null,
  repository_id bigint not null default 0,
  at timestamptz not null default statement_timestamp(),
  primary key (deployment_id, id)
);
create index change_notice_at on change_notice (deployment_id, at);
call protect_tenant_table('change_notice');
