-- compatible-with: 0105
-- outside-a-transaction
-- Counts of what stands on branches, each thing once, are those of the counters less what another branch counts, which this tells.
create index concurrently finding_duplicates on finding
  (deployment_id, repository_id, state, severity, product, pull_request) where duplicate;
