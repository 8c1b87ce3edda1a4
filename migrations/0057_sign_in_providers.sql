-- Where people of a deployment sign in besides with a password: an OpenID provider, and what its word counts for.
create table sign_in_provider (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity unique,
  name text not null,
  issuer text not null,
  client_id text not null,
  client_secret sealed_value not null,
  scopes text[] not null,
  -- The addresses it may speak for, in lower case. Accounts are made and linked for these alone.
  domains text[] not null check (cardinality(domains) > 0),
  -- It says nothing of whether an address is verified, and whoever configured it says that it always is.
  emails_are_verified boolean not null,
  -- Where the groups are in the claims, with dots between the names; empty: nowhere.
  groups_claim text not null,
  -- [{"group": "g", "role": "admin", "teams": [1]}]; role null: the group is about teams alone.
  mapping jsonb not null,
  -- Null: who is in no group with a role does not come in.
  default_role text check (default_role in ('owner', 'admin', 'member', 'readonly')),
  -- Shown to everybody on the sign-in page; otherwise to who types an address of its domains.
  listed boolean not null,
  -- An operator made it for the whole instance: its sessions reach every deployment of the person.
  instance_wide boolean not null,
  -- People reach the deployment only in sessions that began at its providers; but one owner also with their password.
  enforced boolean not null,
  break_glass_id bigint,
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  version bigint not null default 1,
  primary key (deployment_id, id),
  foreign key (deployment_id, break_glass_id) references membership (deployment_id, person_id),
  check (not enforced or break_glass_id is not null)
);
create unique index sign_in_provider_name on sign_in_provider (deployment_id, lower(name));
create index sign_in_provider_break_glass on sign_in_provider (deployment_id, break_glass_id);
call protect_tenant_table('sign_in_provider');
create policy identity on sign_in_provider to gatehouse_identity using (true);
grant select (deployment_id, id, name, issuer, client_id, domains, listed, instance_wide, enforced, break_glass_id)
  on sign_in_provider to gatehouse_identity;
grant usage on sequence sign_in_provider_id_seq to gatehouse_identity;

-- Whose an account of a provider is. Issuer and subject are the key, never an address; and only within a deployment: what one
-- deployment believes of an issuer is no word to another.
create table sign_in_identity (
  deployment_id bigint not null references deployment (id) on delete cascade,
  issuer text not null,
  subject text not null,
  person_id bigint not null references person (id) on delete cascade,
  created_at timestamptz not null default now(),
  primary key (deployment_id, issuer, subject)
);
create index sign_in_identity_person on sign_in_identity (person_id);
call protect_tenant_table('sign_in_identity');
create policy identity on sign_in_identity to gatehouse_identity using (true) with check (true);
grant select, insert on sign_in_identity to gatehouse_identity;

-- Sign-ins under way. The browser has the secret in a cookie; state, nonce and code verifier are derived from it.
create table sign_in_flow (
  deployment_id bigint not null,
  secret_hash bytea not null unique,
  provider_id bigint not null,
  return_to text not null,
  -- The person is asked by the provider again, because something dangerous is to be done.
  confirms boolean not null,
  -- The session that the browser had: it ends when the new one begins.
  replaced_hash bytea,
  -- What the provider has proved, where the account's owner has to confirm before it counts.
  proved jsonb,
  expires_at timestamptz not null,
  primary key (deployment_id, secret_hash),
  foreign key (deployment_id, provider_id) references sign_in_provider on delete cascade
);
create index sign_in_flow_provider on sign_in_flow (deployment_id, provider_id);
create index sign_in_flow_expiry on sign_in_flow (expires_at);
call protect_tenant_table('sign_in_flow');
create policy identity on sign_in_flow to gatehouse_identity using (true) with check (true);
grant select, insert, update, delete on sign_in_flow to gatehouse_identity;

-- Logout tokens that were taken, until they would have expired: each counts once.
create table logout_token (
  provider_id bigint not null references sign_in_provider (id) on delete cascade,
  token_id text not null,
  expires_at timestamptz not null,
  primary key (provider_id, token_id)
);
create index logout_token_expiry on logout_token (expires_at);
grant select, insert, delete on logout_token to gatehouse_identity;

alter table session
  -- The provider that it began at; it ends with it. Null: it began with a password.
  add column provider_id bigint references sign_in_provider (id) on delete cascade,
  add column provider_subject text,
  -- What the provider calls the session (OpenID Connect Back-Channel Logout 1.0 §2.1); null where it gave no name.
  add column provider_sid text,
  add constraint session_provider check ((provider_id is null) = (provider_subject is null));
create index session_provider on session (provider_id, provider_subject) where provider_id is not null;

-- The tenant role makes accounts for addresses of the domains of its deployment's providers, without a password and never an
-- operator. False where the address has an account already: that one is left as it is.
create function create_provider_account(account bigint, provider bigint, address text, given_name text)
  returns boolean language plpgsql security definer set search_path from current as $$
begin
  if account > (select last_value from person_id_seq) then
    raise exception 'the id of an account is taken from its sequence';
  end if;
  if not exists (select from sign_in_provider p where p.deployment_id = current_deployment() and p.id = provider
      and lower(split_part(address, '@', 2)) = any(p.domains)) then
    raise exception 'the provider does not speak for this address';
  end if;
  insert into person (id, email, name, password_hash, operator) overriding system value
    values (account, address, given_name, '', false) on conflict do nothing;
  return found;
end $$;
revoke execute on function create_provider_account from public;
grant execute on function create_provider_account to gatehouse_app;

-- Row-level security holds for the owner of the schema too, as whom the function runs.
create policy provider_account_made on person for insert with check (not operator and not is_service and password_hash = ''
  and exists (select from sign_in_provider p where p.deployment_id = current_deployment()
    and lower(split_part(person.email, '@', 2)) = any(p.domains)));
