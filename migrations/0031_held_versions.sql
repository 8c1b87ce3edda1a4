-- An advisory that names every version of a widely used package is held back for the versions that a deployment has had for a
-- while, and for no others. What it has had is told by snapshots that the server takes of the inventories, at its own time:
-- whoever uploads cannot date them back.

-- What the inventory of a repository had when the server looked. The two latest are kept, a week apart at least.
create table inventory_snapshot (
  deployment_id bigint not null,
  repository_id bigint not null,
  taken_at timestamptz(3) not null,
  -- Who had sent the scan that it was the inventory of.
  person_id bigint not null,
  -- Whether that person was an owner or admin then.
  trusted boolean not null,
  -- Of package_version, in their order. One value, because it is only ever asked for a few repositories.
  version_ids bigint[] not null,
  primary key (deployment_id, repository_id, taken_at),
  foreign key (deployment_id, repository_id) references repository on delete cascade
);
call protect_tenant_table('inventory_snapshot');
create policy advisories on inventory_snapshot for select to gatehouse_worker using (true);
grant select on inventory_snapshot to gatehouse_worker;

-- Which versions the hold is about, while the advisory waits. A release is about all of them: a person decided it.
alter table firewall_held add column versions text[] collate "C" not null default '{}';
grant select (versions, reason), insert (versions) on firewall_held to gatehouse_worker;

-- What waits from before counted repositories that may have been made for it. It blocks from now on, and who has it is looked
-- for again.
alter table firewall_held no force row level security;
alter table firewall_deployment no force row level security;
update firewall_deployment known set exposure_revision = least(exposure_revision, waiting.revision - 1), rules = rules + 1
from (select firewall_held.deployment_id, min(advisory.revision) as revision
  from firewall_held join advisory on advisory.id = firewall_held.advisory_id
  where firewall_held.state = 'held' group by firewall_held.deployment_id) waiting
where waiting.deployment_id = known.deployment_id;
delete from firewall_held where state = 'held';
alter table firewall_held force row level security;
alter table firewall_deployment force row level security;

-- What happens to a version while the advisory that names it waits, and whose hosts serve what the public registry has.
alter table firewall_choice
  add column held text not null default 'block' check (held in ('block', 'warn')),
  add column mirror_hosts text[] collate "C" not null default '{}';

-- Whether a feed cannot be reached or was refused, and what of it was told since it last came in: each thing once.
alter table advisory_feed
  add column problem_kind text not null default '' check (problem_kind in ('', 'unreachable', 'refused')),
  add column told text[] not null default '{}';
alter table vulnerability_feed
  add column problem_kind text not null default '' check (problem_kind in ('', 'unreachable', 'refused')),
  add column told text[] not null default '{}';
update advisory_feed set problem_kind = 'refused' where problem <> '';
update vulnerability_feed set problem_kind = 'refused' where problem <> '';
