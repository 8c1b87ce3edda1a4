-- Issues of agentic workflows. Built for a million of them: every search starts from cells (state, reason, severity) that
-- the counters say are not empty, and reads each cell from an index that has its rows in the order asked for.

-- A set of repositories that issues are about. Who sees one of them sees the issues; numbers of issues are kept for each
-- set, so that they add up without counting an issue twice that is about two repositories.
create table issue_scope (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  -- The ids as they were first named, ascending, between commas. '': the whole deployment, which everybody in it sees.
  key text collate "C" not null,
  primary key (deployment_id, id),
  unique (deployment_id, key)
);
call protect_tenant_table('issue_scope');

-- Those of a set that still exist. A set that has lost its last repository is seen by owners and admins alone.
create table issue_scope_repository (
  deployment_id bigint not null,
  scope_id bigint not null,
  repository_id bigint not null,
  primary key (deployment_id, scope_id, repository_id),
  foreign key (deployment_id, scope_id) references issue_scope on delete cascade,
  foreign key (deployment_id, repository_id) references repository on delete cascade
);
create index issue_scope_repository_repository on issue_scope_repository (deployment_id, repository_id, scope_id);
call protect_tenant_table('issue_scope_repository');

create table issue (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  scope_id bigint not null,
  -- 1 open, 2 reopened, 3 reviewing, 4 fixing, 5 provisionally ignored, 6 ignored, 7 fixed.
  triage_state smallint not null default 1 check (triage_state between 1 and 7),
  -- 0 none, 1 false positive, 2 acceptable risk, 3 no time.
  triage_reason smallint not null default 0 check (triage_reason between 0 and 3),
  -- 1 info to 5 critical.
  severity smallint not null check (severity between 1 and 5),
  detected boolean not null,
  -- Null until the first decision. A person's is never overridden by an automation.
  decided_by text check (decided_by in ('person', 'automation')),
  -- How many changes its activity holds: the number of the last one.
  activity_count integer not null default 0,
  -- Milliseconds, as on the wire: a cursor that has passed through it still points to the same row.
  created_at timestamptz(3) not null,
  last_detected_at timestamptz(3) not null,
  -- When the last report was made that counted, whether it saw the issue or not.
  observed_at timestamptz(3) not null,
  triaged_at timestamptz(3),
  version bigint not null default 1,
  -- What the reporter knows it by.
  external_key text collate "C" not null,
  title text not null,
  -- Description, reasoning and the lists, which are only ever shown.
  content jsonb not null,
  -- SHA-256 over title and content: tells whether a report brings news.
  content_digest bytea not null,
  primary key (deployment_id, id),
  unique (deployment_id, external_key),
  foreign key (deployment_id, scope_id) references issue_scope
);
-- With what else is filtered by, so that rows that are passed over cost no visit to the table.
create index issue_by_creation on issue (deployment_id, triage_state, triage_reason, severity, created_at, id)
  include (scope_id, title);
create index issue_by_detection on issue (deployment_id, triage_state, triage_reason, severity, last_detected_at, id)
  include (scope_id, title);
create index issue_in_scope_by_creation
  on issue (deployment_id, scope_id, triage_state, triage_reason, severity, created_at, id);
create index issue_in_scope_by_detection
  on issue (deployment_id, scope_id, triage_state, triage_reason, severity, last_detected_at, id);
call protect_tenant_table('issue');

-- How many issues each cell of each set has; scope 0 is the whole deployment. Moves with the issues, in their transaction.
create table issue_count (
  deployment_id bigint not null references deployment (id) on delete cascade,
  scope_id bigint not null,
  triage_state smallint not null,
  triage_reason smallint not null,
  severity smallint not null,
  count bigint not null,
  primary key (deployment_id, scope_id, triage_state, triage_reason, severity)
) with (fillfactor = 70);
call protect_tenant_table('issue_count');

-- Every decision about an issue, by whom and when. The numbers of an issue have no gaps and are given under its lock.
create table issue_activity (
  deployment_id bigint not null,
  issue_id bigint not null,
  seq integer not null,
  at timestamptz(3) not null,
  decided_by text not null check (decided_by in ('person', 'automation')),
  -- Whose request it was; of an automation: whose report it acted on.
  person_id bigint not null,
  token_id bigint not null,
  from_state smallint not null,
  from_reason smallint not null,
  to_state smallint not null,
  to_reason smallint not null,
  primary key (deployment_id, issue_id, seq),
  foreign key (deployment_id, issue_id) references issue on delete cascade
);
call protect_tenant_table('issue_activity');
