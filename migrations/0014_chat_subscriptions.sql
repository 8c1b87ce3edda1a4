-- What each channel of the chat service wants to be told. It outlives the installation: installing the app again brings the
-- messages back.
create table chat_subscription (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  channel_id text not null,
  channel_name text not null,
  events text[] not null,
  -- Empty: all of them.
  severities text[] not null,
  products text[] not null,
  repository_ids bigint[] not null,
  created_at timestamptz not null default now(),
  version bigint not null default 1,
  primary key (deployment_id, id),
  unique (deployment_id, channel_id)
);
call protect_tenant_table('chat_subscription');
