-- compatible-with: 0105
-- What is overdue and what is still to be done was looked for among all findings, settled ones and those of pull requests too. Both
-- stand on a branch: by severity and time, with what they are counted by.
create index finding_standing_on_branch on finding (deployment_id, severity, raised_at)
  include (state, product, cell, category, repository_id, rule_id) where pull_request = 0 and state <= 5;
-- The same of a repository, with the severity, which takes no more room. The one before it had everything else.
create index finding_to_do_in_repository on finding (deployment_id, repository_id, raised_at)
  include (cell, category, severity, rule_id) where cell >= 32;
drop index finding_funnel_in_repository;
