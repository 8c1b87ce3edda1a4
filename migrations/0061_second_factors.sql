-- What people prove themselves with besides the password. All of it belongs to the account and to no deployment: only the identity
-- role sees it.

-- The authenticator app of a person; `id` is the person's.
create table totp_factor (
  id bigint primary key references person (id) on delete cascade,
  secret sealed_value not null,
  created_at timestamptz not null,
  used_at timestamptz,
  -- The last time step that was accepted (RFC 6238 §5.2: each is accepted once).
  last_step bigint not null
);
grant select, insert, update, delete on totp_factor to gatehouse_identity;

-- An app that is being set up and has not shown a code yet.
create table totp_setup (
  id bigint primary key references person (id) on delete cascade,
  secret sealed_value not null,
  expires_at timestamptz not null
);
create index totp_setup_expiry on totp_setup (expires_at);
grant select, insert, update, delete on totp_setup to gatehouse_identity;

create table passkey (
  id bigint generated always as identity primary key,
  person_id bigint not null references person (id) on delete cascade,
  -- As the authenticator names it, in base64url.
  credential_id text not null unique,
  -- COSE_Key (RFC 9052 §7).
  public_key bytea not null,
  counter bigint not null,
  transports text[] not null,
  backed_up boolean not null,
  name text not null,
  created_at timestamptz not null,
  used_at timestamptz
);
create index passkey_person on passkey (person_id);
grant select, insert, update, delete on passkey to gatehouse_identity;

-- Challenges that were given out and not used yet. SHA-256 of the 256 random bits.
create table passkey_challenge (
  hash bytea primary key,
  -- Whose new passkey it is for; null: for signing in, and whoever answers says who they are.
  person_id bigint references person (id) on delete cascade,
  expires_at timestamptz not null
);
create index passkey_challenge_expiry on passkey_challenge (expires_at);
create index passkey_challenge_person on passkey_challenge (person_id) where person_id is not null;
grant select, insert, delete on passkey_challenge to gatehouse_identity;

-- SHA-256 of the 80 random bits; a code that was used is gone.
create table recovery_code (
  person_id bigint not null references person (id) on delete cascade,
  hash bytea not null,
  created_at timestamptz not null,
  primary key (person_id, hash)
);
grant select, insert, delete on recovery_code to gatehouse_identity;

-- What authenticators know the person by (WebAuthn §5.4.3): it says nothing about them.
alter table person add column passkey_handle uuid not null default gen_random_uuid();

alter table session
  -- What the person proved themselves with. 'external': by a provider that has looked at the second factor itself.
  add column proof text not null default 'password'
    check (proof in ('password', 'code', 'recovery-code', 'passkey', 'external'));

-- Who needs a second factor: nobody, owners and admins, or everyone.
alter table deployment add column second_factor text not null default 'optional'
  check (second_factor in ('optional', 'admins', 'everyone'));

-- Who looks after a deployment sees which of its members have one, and nothing more about it.
create function has_second_factor(account bigint) returns boolean
  language sql stable security definer set search_path from current
  return exists (select from membership where deployment_id = current_deployment() and person_id = account)
    and (exists (select from totp_factor where id = account) or exists (select from passkey where person_id = account));
revoke execute on function has_second_factor from public;
grant execute on function has_second_factor to gatehouse_app;
