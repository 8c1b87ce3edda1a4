-- compatible-with: 0072
-- What was said in a pull request.
create table pull_request_feedback (
  deployment_id bigint not null,
  repository_id bigint not null,
  pull_request bigint not null,
  code_host_id bigint not null,
  -- Findings that ever had a comment on their line: one that a person has deleted since does not come back.
  commented_findings bigint[] not null,
  delivered_at timestamptz(3) not null,
  primary key (deployment_id, repository_id, pull_request),
  foreign key (deployment_id, repository_id) references repository (deployment_id, id) on delete cascade,
  foreign key (deployment_id, code_host_id) references code_host (deployment_id, id) on delete cascade
);
create index pull_request_feedback_host on pull_request_feedback (deployment_id, code_host_id);
call protect_tenant_table('pull_request_feedback');
