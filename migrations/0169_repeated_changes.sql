-- compatible-with: 0105
-- outside-a-transaction
-- What happens to a finding again has happened and been taken back before, so it is its third change at the earliest. Activity that counts
-- each finding once takes these away from what happened on a day.
create index concurrently finding_history_repeated on finding_history (deployment_id, at, finding_id)
  include (from_state, to_state) where seq >= 3;
