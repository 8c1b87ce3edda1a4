-- compatible-with: 0105
-- outside-a-transaction
-- The same of what was fixed or ignored, or has ended. There are ever more of these, and what stands is asked for most.
create index concurrently finding_settled_duplicates on finding
  (deployment_id, (case when duplicate then repository_id end), state, severity, product, pull_request)
  include (repository_id, duplicate) where duplicate and state > 5;
