-- An upload reads what stands of its source and ref, and looks up what it names itself; not what was fixed long ago. What a
-- person called fixed stands as long as it is seen.
create index finding_of_stream on finding (deployment_id, stream_id, fingerprint)
  where state <> 7 or (decided_by = 4 and not absent);
