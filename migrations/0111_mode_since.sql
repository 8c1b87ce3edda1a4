-- compatible-with: 0072
-- Since when a rule has had its mode, and a policy has been in force; null for what was so before this was kept.
alter table policy_rule add column since timestamptz(3);
alter table policy add column in_force_since timestamptz(3);
