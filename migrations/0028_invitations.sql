-- Who is asked to join a deployment. Nothing of the account that the address may have is here, or is looked at, before
-- the holder of the link accepts.
create table invitation (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id bigint generated always as identity,
  email text not null,
  -- What the inviter calls them; empty where nothing was said.
  name text not null,
  role text not null check (role in ('owner', 'admin', 'member', 'readonly')),
  delivery text not null check (delivery in ('mail', 'link')),
  -- SHA-256 of the 256 random bits in the link.
  token_hash bytea not null unique,
  invited_by bigint not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  mailed_at timestamptz,
  version bigint not null default 1,
  primary key (deployment_id, id),
  -- Who is removed takes what they have asked others into with them.
  foreign key (deployment_id, invited_by) references membership (deployment_id, person_id) on delete cascade
);
create unique index invitation_email on invitation (deployment_id, lower(email));
create index invitation_inviter on invitation (deployment_id, invited_by);
create index invitation_expiry on invitation (expires_at);
call protect_tenant_table('invitation');
create policy identity on invitation to gatehouse_identity using (true);
grant select, delete on invitation to gatehouse_identity;

-- One-time links that set a new password. One of each kind for a person: a new one takes the place of the old.
create table password_reset (
  person_id bigint not null references person (id) on delete cascade,
  kind text not null check (kind in ('mail', 'owner', 'server')),
  token_hash bytea not null unique,
  -- An owner's link works only while the account belongs to that deployment alone, and they are an owner there.
  only_in bigint references deployment (id) on delete cascade,
  made_by bigint,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (person_id, kind),
  check ((kind = 'owner') = (only_in is not null and made_by is not null))
);
create index password_reset_expiry on password_reset (expires_at);
create index password_reset_deployment on password_reset (only_in);
grant select, insert, update, delete on password_reset to gatehouse_identity;

-- The id of an account is taken before the account is there, so that the audit log can name who joined.
grant usage on sequence person_id_seq to gatehouse_identity;

-- The tenant role makes accounts in one way alone: for an address that its deployment has invited, from the link's hash, and
-- never an operator. False where the address has an account already: that one is left as it is.
create function create_invited_account(account bigint, invited bigint, given_hash bytea, given_name text,
    given_password_hash text)
  returns boolean language plpgsql security definer set search_path from current as $$
declare
  address text;
begin
  if account > (select last_value from person_id_seq) then
    raise exception 'the id of an account is taken from its sequence';
  end if;
  select email into address from invitation
    where deployment_id = current_deployment() and id = invited and token_hash = given_hash for update;
  if address is null then
    return false;
  end if;
  insert into person (id, email, name, password_hash, operator) overriding system value
    values (account, address, given_name, given_password_hash, false) on conflict do nothing;
  return found;
end $$;
revoke execute on function create_invited_account from public;
grant execute on function create_invited_account to gatehouse_app;

-- Row-level security holds for the owner of the schema too, as whom the function runs.
create policy invited on person for insert with check (not operator and exists (
  select from invitation where invitation.deployment_id = current_deployment()
    and lower(invitation.email) = lower(person.email)));

-- Whether a session still stands. The tenant role asks when it holds the person's row, which who ends sessions with a new
-- password holds first: what it is told then stays so until it commits.
create function session_stands(given_session uuid, given_person bigint) returns boolean
  language sql stable security definer set search_path from current
  return exists (select from session where id = given_session and person_id = given_person and revoked_at is null);
revoke execute on function session_stands from public;
grant execute on function session_stands to gatehouse_app;
