-- The search of the palette finds packages and rules by how their names begin. Ranges of bytes: comparisons are leakproof, so
-- that under row-level security an index serves them, which it does for no pattern (see 0004); and they do not depend on how
-- the database sorts.
create index package_prefix on package (deployment_id, name collate "C");
create index finding_rule_prefix on finding_rule (deployment_id, external_id collate "C");
