-- compatible-with: 0105
-- A token that is good for one resource alone (RFC 8707). Null: for everything that its scopes allow.
alter table api_token add column audience text check (audience in ('mcp'));

-- What a person let a program do in their name, by OAuth 2.1. It begins with a code, which the program turns into a token; that token
-- is renewed until the grant ends. Revoking the token ends the grant.
create table oauth_grant (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  person_id bigint not null,
  -- SHA-256 of the id of the client: an id is as long as what it says.
  client_hash bytea not null,
  client_name text not null,
  redirect_uri text not null,
  resource text not null,
  scopes text[] not null,
  -- SHA-256 of the code; it stays, so that a second use of it is noticed.
  code_hash bytea not null,
  code_challenge text not null,
  code_expires_at timestamptz not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Since the code was turned into a token. Of the refresh tokens hashes, as for sessions.
  token_id bigint,
  family_hash bytea,
  refresh_hash bytea,
  previous_hash bytea,
  refreshed_at timestamptz,
  refreshed_from text,
  primary key (deployment_id, id),
  foreign key (deployment_id, person_id) references membership (deployment_id, person_id) on delete cascade,
  foreign key (deployment_id, token_id) references api_token (deployment_id, id) on delete cascade,
  check ((token_id is null) = (family_hash is null) and (token_id is null) = (refresh_hash is null))
);
create unique index oauth_grant_code on oauth_grant (deployment_id, code_hash);
create unique index oauth_grant_family on oauth_grant (deployment_id, family_hash) where family_hash is not null;
create unique index oauth_grant_token on oauth_grant (deployment_id, token_id) where token_id is not null;
create index oauth_grant_person on oauth_grant (deployment_id, person_id);
create index oauth_grant_unused on oauth_grant (deployment_id, code_expires_at) where token_id is null;
create index oauth_grant_end on oauth_grant (deployment_id, expires_at) where token_id is not null;
call protect_tenant_table('oauth_grant');
