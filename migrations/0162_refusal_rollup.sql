-- compatible-with: 0105
-- Hours, days and months whose refusals are added up. A span counts as long as nothing was recorded in it since: every request is
-- counted in firewall_activity in the transaction that records it, so the number of requests there tells.
create table firewall_refusal_span (
  deployment_id bigint not null references deployment (id) on delete cascade,
  grain "char" not null check (grain in ('h', 'd', 'm')),
  start timestamptz(0) not null,
  until timestamptz(0) not null,
  -- Those of the span when it was added up, refused or not.
  requests bigint not null,
  -- Whom the refusals before that concerned was forgotten by then: the beginning of the span, its end, or a day of a month.
  unknown_before timestamptz(0) not null,
  primary key (deployment_id, grain, start)
);
call protect_tenant_table('firewall_refusal_span');

-- What a search for refusals asks for, each combination once for a span.
create table firewall_refusal_sum (
  deployment_id bigint not null references deployment (id) on delete cascade,
  grain "char" not null,
  watched boolean not null,
  start timestamptz(0) not null,
  artifact_id bigint not null,
  person_id bigint not null,
  token_id bigint not null,
  count bigint not null,
  first_at timestamptz(3) not null,
  last_at timestamptz(3) not null,
  rule text collate "C" not null,
  advisory_id text collate "C" not null,
  -- Those of the artifact.
  ecosystem text collate "C" not null,
  version text collate "C" not null,
  primary key (deployment_id, grain, start, artifact_id, person_id, token_id, advisory_id, rule, watched)
);
create index firewall_refusal_sum_person on firewall_refusal_sum (deployment_id, grain, start, person_id);
call protect_tenant_table('firewall_refusal_sum');
