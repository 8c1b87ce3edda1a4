-- compatible-with: 0105
-- outside-a-transaction
-- A finding that is new on a branch takes over what a person decided last about the same one on another branch. That may be that it is
-- not to be ignored any more, which the index of what people ignore does not have.
create index concurrently finding_decided on finding (deployment_id, repository_id, fingerprint) where decided_by = 4;
