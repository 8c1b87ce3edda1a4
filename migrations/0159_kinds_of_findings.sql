-- compatible-with: 0105
-- outside-a-transaction
-- A filter that next to nothing matches (a reason, a decider, a validity) was asked of every finding. The index has few distinct entries,
-- so all of them are looked through at once, and those that match lead to their findings. Entries that are the same share their room.
create index concurrently finding_kinds on finding
  (deployment_id, reason, decided_by, validity, reachability, confidence, category, malicious, silenced, duplicate);
