-- compatible-with: 0105
-- Who has left a deployment, as they were called then: what they decided keeps its name. No key to the account, which may go, too.
create table former_member (
  deployment_id bigint not null references deployment (id) on delete cascade,
  person_id bigint not null,
  email text not null,
  name text not null,
  left_at timestamptz not null default now(),
  primary key (deployment_id, person_id)
);
call protect_tenant_table('former_member');
