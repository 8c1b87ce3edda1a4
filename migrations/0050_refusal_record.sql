-- A record of every refusal: beside what is counted, why, and which client asked from where.
alter table firewall_refusal
  -- What decided it; of refusals before this one nobody knows.
  add column rule text collate "C" not null default 'unknown',
  add column reason text not null default '',
  add column client text not null default '',
  add column address text not null default '';

-- The record is searched newest first, by package and by person.
create index firewall_refusal_package on firewall_refusal (deployment_id, artifact_id, at, id);
create index firewall_refusal_person on firewall_refusal (deployment_id, person_id, at, id);

-- Whom refusals before that concerned was forgotten; null while nothing was.
alter table firewall_deployment add column refused_unknown_before timestamptz(0);
