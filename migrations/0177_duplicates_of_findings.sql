-- compatible-with: 0105
-- outside-a-transaction
-- Counts of what stands on branches, each thing once, are those of the counters less what another branch counts, which this tells. The
-- repository is an expression, so that a database without statistics takes no other index for it.
create index concurrently finding_duplicates on finding
  (deployment_id, (case when duplicate then repository_id end), state, severity, product, pull_request) where duplicate;
