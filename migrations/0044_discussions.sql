-- Who looks after a finding or an issue. Goes with the membership of the person.
create table subject_assignment (
  deployment_id bigint not null,
  kind text collate "C" not null check (kind in ('finding', 'issue')),
  subject_id bigint not null,
  person_id bigint not null,
  assigned_at timestamptz(3) not null default statement_timestamp(),
  primary key (deployment_id, kind, subject_id),
  foreign key (deployment_id, person_id) references membership (deployment_id, person_id) on delete cascade
);
create index subject_assignment_person on subject_assignment (deployment_id, person_id, kind, subject_id);
call protect_tenant_table('subject_assignment');

-- What people said about a finding or an issue, and to whom it was given. Names are kept as they were: who has left stays
-- named here.
create table discussion_entry (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  kind text collate "C" not null check (kind in ('finding', 'issue')),
  subject_id bigint not null,
  what text collate "C" not null check (what in ('comment', 'assignment')),
  at timestamptz(3) not null default statement_timestamp(),
  author_id bigint not null,
  author_name text not null,
  -- 0 when the person was signed in.
  token_id bigint not null,
  -- Of a comment; '' once it is deleted.
  text text not null default '',
  -- Of an assignment; 0: to nobody.
  assignee_id bigint not null default 0,
  assignee_name text not null default '',
  edited_at timestamptz(3),
  deleted_at timestamptz(3),
  version bigint not null default 1,
  primary key (deployment_id, id)
);
create index discussion_entry_subject on discussion_entry (deployment_id, kind, subject_id, id);
call protect_tenant_table('discussion_entry');

-- Findings carry no foreign keys, and are deleted many at once.
create function delete_discussions() returns trigger language plpgsql as $$
begin
  delete from subject_assignment a using gone
  where a.deployment_id = gone.deployment_id and a.kind = tg_argv[0] and a.subject_id = gone.id;
  delete from discussion_entry e using gone
  where e.deployment_id = gone.deployment_id and e.kind = tg_argv[0] and e.subject_id = gone.id;
  return null;
end $$;
create trigger finding_discussions after delete on finding referencing old table as gone
  for each statement execute function delete_discussions('finding');
create trigger issue_discussions after delete on issue referencing old table as gone
  for each statement execute function delete_discussions('issue');
