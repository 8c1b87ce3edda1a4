-- What reports read without visiting the findings themselves. The three ways into the findings (by time, by repository, by
-- rule) also tell the severity; the small columns come first, which saves eight bytes of every entry.
drop index finding_raised;
create index finding_raised on finding (deployment_id, raised_at, id)
  include (cell, category, severity, repository_id, rule_id);
drop index finding_in_repository;
create index finding_in_repository on finding (deployment_id, repository_id, raised_at, id)
  include (cell, category, severity, rule_id);
drop index finding_of_rule;
create index finding_of_rule on finding (deployment_id, rule_id, raised_at, id)
  include (cell, category, severity, repository_id);

-- What happened in a span of time.
create index finding_history_at on finding_history (deployment_id, at, finding_id) include (from_state, to_state);
