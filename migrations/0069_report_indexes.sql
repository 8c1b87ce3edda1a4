-- What reports with two filters read. Guardrails count findings of pull requests, the funnel open ones of branches: what one of
-- them counts the other never does, so a finding is in at most one of the two indexes along rules and along repositories.
create index finding_guardrails_of_rule on finding (deployment_id, rule_id, raised_at)
  include (cell, category, repository_id) where (cell & 7) > 0;
create index finding_guardrails_in_repository on finding (deployment_id, repository_id, raised_at)
  include (cell, category, rule_id) where (cell & 7) > 0;
create index finding_funnel_of_rule on finding (deployment_id, rule_id, raised_at)
  include (cell, category, repository_id) where cell >= 32;
create index finding_funnel_in_repository on finding (deployment_id, repository_id, raised_at)
  include (cell, category, rule_id) where cell >= 32;
