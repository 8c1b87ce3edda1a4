-- compatible-with: 0105
-- outside-a-transaction
-- Counts of what stands on branches, each thing once, are those of the counters less what another branch counts, which this tells
-- without the findings themselves. The repository is an expression, so that a database without statistics takes no other index for
-- it; it is included, with what the expression asks, because only then is the table not read.
create index concurrently finding_duplicates on finding
  (deployment_id, (case when duplicate then repository_id end), state, severity, product, pull_request)
  include (repository_id, duplicate) where duplicate and state <= 5;
