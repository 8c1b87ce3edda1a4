-- compatible-with: 0072
-- What the clients of Semgrep are answered with: rules that a company wrote itself, and runs of `semgrep ci` that are under way.
create table semgrep_rule (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  -- As findings name it.
  rule_id text collate "C" not null,
  -- The rule as its author wrote it.
  definition jsonb not null,
  published_by bigint not null,
  published_at timestamptz not null,
  primary key (deployment_id, id)
);
create unique index semgrep_rule_name on semgrep_rule (deployment_id, rule_id);
call protect_tenant_table('semgrep_rule');

create table semgrep_scan (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  -- What the client calls its run: whoever says twice that it begins has begun once.
  request_id uuid not null,
  -- What it says it scans: repository, ref, commit, pull request.
  target jsonb not null,
  started_at timestamptz not null,
  -- The scans that its findings and its packages became; null until they are in.
  findings_scan_id bigint,
  packages_scan_id bigint,
  -- With which it gave up; null where it did not.
  exit_code integer,
  primary key (deployment_id, id)
);
create unique index semgrep_scan_request on semgrep_scan (deployment_id, request_id);
create index semgrep_scan_age on semgrep_scan (deployment_id, started_at);
call protect_tenant_table('semgrep_scan');
