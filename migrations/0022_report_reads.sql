-- Counters of one repository or rule lie all over their table, because they were written day after day; these keep the ones
-- that reports read most side by side: those of all categories, and the months of each.
create index finding_count_uncategorised on finding_count (deployment_id, repository_id, rule_id, grain, starts_at)
  include (silenced, open, fixed, ignored, provisional, code_standing, code_exploitable, code_exposed, code_priority,
    sca_standing, sca_exploitable, sca_exposed, sca_priority, secrets_standing, secrets_exploitable, secrets_exposed,
    secrets_priority)
  where category = -1;
create index finding_count_monthly on finding_count (deployment_id, repository_id, rule_id, category, starts_at)
  include (silenced, open, fixed, ignored, provisional, code_standing, code_exploitable, code_exposed, code_priority,
    sca_standing, sca_exploitable, sca_exposed, sca_priority, secrets_standing, secrets_exploitable, secrets_exposed,
    secrets_priority)
  where grain = 'm' and category >= 0;

-- They are read without visiting the table only where vacuum has been since.
alter table finding_count set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05);

-- Repositories and rules together have no counters. These hold only what each report counts, in the words it asks in: more
-- than a third fewer findings to read where there are many.
create index finding_of_rule_in_guardrails on finding (deployment_id, rule_id, raised_at)
  include (cell, category, repository_id) where (cell & 7) > 0;
create index finding_of_rule_in_funnel on finding (deployment_id, rule_id, raised_at)
  include (cell, category, repository_id) where cell >= 32;
