-- Findings in the order of their last change, and of their paths, those of each state. An entry of an index has room for the
-- beginning of a path only.
create index finding_changed on finding (deployment_id, state, state_at, id);
create index finding_by_path on finding (deployment_id, state, (left(path, 200)) collate "C", id);
