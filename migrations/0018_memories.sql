-- What people have said once and want to be remembered: why findings of a rule, in a place or of a class are of no concern,
-- or what is to be kept in mind when one is repaired or reviewed.
create table memory (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  content text not null,
  -- 1 suggested, 2 live, 3 deleted. Deleted ones stay, because the history of findings names them.
  stage smallint not null check (stage between 1 and 3),
  -- What it is good for: triage, remediation, review.
  contexts text[] not null,
  -- Its scope: everything that is said here must hold. What the tools call the rule; '' any.
  rule text collate "C" not null,
  -- A repository, or those that carry a tag, or neither: all of the deployment.
  repository_id bigint,
  tag_id bigint,
  -- Folders or files, without a slash at the end; none: any path.
  path_prefixes text[] collate "C" not null,
  -- A CWE; '' any.
  vulnerability_class text collate "C" not null,
  -- What a replay over the findings in scope said before it went live.
  newly_true integer not null default 0,
  newly_false integer not null default 0,
  remains_true integer not null default 0,
  remains_false integer not null default 0,
  -- What a suggestion is based on, as it is shown.
  sources jsonb not null default '[]',
  -- What a suggestion is about: it is made once, whatever became of it.
  suggestion_key text collate "C",
  -- 0: nobody, it was suggested.
  created_by bigint not null,
  created_at timestamptz(3) not null default statement_timestamp(),
  -- Of several that cover a finding the one that went live first holds it.
  live_since timestamptz,
  in_force boolean not null generated always as (stage = 2 and 'triage' = any (contexts)) stored,
  version bigint not null default 1,
  primary key (deployment_id, id),
  foreign key (deployment_id, repository_id) references repository on delete cascade,
  foreign key (deployment_id, tag_id) references tag,
  check (repository_id is null or tag_id is null)
);
create unique index memory_suggestion on memory (deployment_id, suggestion_key);
create index memory_of_repository on memory (deployment_id, repository_id);
create index memory_in_force on memory (deployment_id, rule) where in_force;
call protect_tenant_table('memory');

-- What a memory holds, to give it back.
create index finding_held on finding (deployment_id, decider_id, id) where decided_by = 2;

-- Whoever changes what memories cover holds this alone; whoever adds repositories, or changes what they are tagged with,
-- together with others. Otherwise a new repository could miss a memory that goes live meanwhile.
create function memory_gate(deployment bigint) returns bigint language sql immutable
  return hashtextextended('gatehouse.memories:' || deployment, 0);

create function pass_memory_gate() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared(memory_gate(new.deployment_id));
  return new;
end $$;
create trigger pass_memory_gate before insert on repository for each row execute function pass_memory_gate();
