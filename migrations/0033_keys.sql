-- Which master key the keys in `data_key` are wrapped by: a value derived from it that does not lead back to it. It is how
-- a process finds out that the master key was changed under it, before it wraps a key that nobody could open any more.
create table master_key (
  only_one boolean primary key default true check (only_one),
  key_id text not null,
  changed_at timestamptz not null default now()
);
grant select, insert, update on master_key to gatehouse_identity;

-- A change of the master key wraps every data key again.
grant update (wrapped) on data_key to gatehouse_identity;

-- Keys that sign JSON Web Tokens are removed when no token of theirs can be valid any more.
grant delete on signing_key to gatehouse_identity;

-- How many mails a deployment has sent in an hour, on all processes together.
create table mail_hour (
  deployment_id bigint not null references deployment (id) on delete cascade,
  hour timestamptz not null,
  mails integer not null,
  primary key (deployment_id, hour)
);
call protect_tenant_table('mail_hour');
