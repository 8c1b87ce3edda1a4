-- compatible-with: 0072
-- The gravest findings for somebody who sees few repositories: a run for each repository and severity. With the state, which most
-- lists ask for, so that what is settled is passed over in the index.
create index finding_graded_in_repository on finding (deployment_id, repository_id, severity, raised_at, id) include (state);
