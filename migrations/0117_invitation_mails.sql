-- compatible-with: 0105
-- When a deployment mailed invitations within the last hour, on all processes together.
create table invitation_mail (
  deployment_id bigint not null references deployment (id) on delete cascade,
  mailed_at timestamptz[] not null,
  primary key (deployment_id)
);
call protect_tenant_table('invitation_mail');

-- Whether an invitation waits for whoever signs in.
create index invitation_address on invitation (lower(email));
