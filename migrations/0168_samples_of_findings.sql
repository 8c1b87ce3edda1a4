-- compatible-with: 0105
-- outside-a-transaction
-- Medians of trends were found by reading every finding of branches and its history. Of many, these hold one in 16, in 256 and in 4,096,
-- drawn by their ids, with all that is asked of them.
create index concurrently finding_sample_of_16 on finding (deployment_id, repository_id, raised_at)
  include (id, state, change_count, fixed_at) where pull_request = 0 and not duplicate and hashint8(id) & 15 = 0;
create index concurrently finding_sample_of_256 on finding (deployment_id, repository_id, raised_at)
  include (id, state, change_count, fixed_at) where pull_request = 0 and not duplicate and hashint8(id) & 255 = 0;
create index concurrently finding_sample_of_4096 on finding (deployment_id, repository_id, raised_at)
  include (id, state, change_count, fixed_at) where pull_request = 0 and not duplicate and hashint8(id) & 4095 = 0;
