-- The clients of the malware firewall get a repository that stands for them, so that what they were given and should not have
-- been are findings like any other. At most one in a deployment, whatever people call it.
alter table repository add column kind text not null default 'code' check (kind in ('code', 'package-clients'));
create unique index repository_package_clients on repository (deployment_id) where kind = 'package-clients';

-- That it ran out was seen to: who has what it was about was looked at again.
alter table firewall_override add column lapsed boolean not null default false;
create index firewall_override_expiry on firewall_override (deployment_id, expires_at) where not lapsed;

-- What is older than this is kept by the day alone; null while nothing is.
alter table firewall_deployment add column kept_by_day_before timestamptz(0);

-- The first and the last hour in which it was refused: what was not refused within a period is not looked for in it, and how
-- often it had been refused by a moment outside of them is known without looking.
alter table firewall_culprit add column first_hour timestamptz(0), add column last_hour timestamptz(0);
-- Who owns the tables sees no tenant's rows either, but for these two statements.
alter table firewall_culprit no force row level security;
alter table firewall_total no force row level security;
update firewall_culprit culprit set first_hour = total.first_hour, last_hour = total.last_hour
from (select deployment_id, culprit_id, min(hour) as first_hour, max(hour) as last_hour
  from firewall_total group by deployment_id, culprit_id) total
where total.deployment_id = culprit.deployment_id and total.culprit_id = culprit.id;
alter table firewall_culprit force row level security;
alter table firewall_total force row level security;
alter table firewall_culprit alter column first_hour set not null, alter column last_hour set not null;
create index firewall_culprit_time on firewall_culprit (deployment_id, last_hour);

-- The hours that a period cuts are read from the index alone. Nobody asks for the refusals of an artifact.
create index firewall_refusal_cut on firewall_refusal (deployment_id, at) include (artifact_id, advisory_id, count);
drop index firewall_refusal_artifact;
