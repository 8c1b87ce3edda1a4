-- compatible-with: 0105
-- Counters of reports have what pull requests introduced and what stands on branches. What was raised besides, and is settled or a
-- second one of its kind, was counted by reading all findings.
create index finding_in_no_counter on finding (deployment_id, repository_id, raised_at)
  include (cell, category, rule_id) where cell < 32 and cell & 7 = 0;
