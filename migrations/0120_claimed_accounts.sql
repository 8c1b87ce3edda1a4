-- compatible-with: 0105
-- Whoever makes an account for an address, or sets its password by a link of their own, has not shown that the address is theirs.
alter table person
  -- Since when a deployment, and not the holder of the address, decided how one signs in to it. Null: nobody did.
  add column unclaimed_since timestamptz,
  -- When the holder of the address took it over, by a link that was mailed there or given by the operator.
  add column claimed_at timestamptz;

alter table person no force row level security;
alter table provisioned_user no force row level security;
update person set unclaimed_since = created_at where exists (
  select from provisioned_user u where u.person_id = person.id and u.made_account);
alter table person force row level security;
alter table provisioned_user force row level security;

-- Whether a provider's word waits for the owner of an account to confirm it.
create index sign_in_flow_proved on sign_in_flow (lower(proved ->> 'email')) where proved is not null;

create or replace function create_provisioned_account(provisioned bigint, given_name text)
  returns bigint language plpgsql security definer set search_path from current as $$
declare
  account bigint := nextval('person_id_seq');
  wanted text;
begin
  select address into wanted from provisioned_user
    where deployment_id = current_deployment() and id = provisioned and person_id is null for update;
  if wanted is null then
    return null;
  end if;
  insert into person (id, email, name, password_hash, operator, unclaimed_since) overriding system value
    values (account, wanted, given_name, '', false, now()) on conflict do nothing;
  return case when found then account end;
end $$;

create or replace function create_provider_account(account bigint, provider bigint, address text, given_name text)
  returns boolean language plpgsql security definer set search_path from current as $$
begin
  if account > (select last_value from person_id_seq) then
    raise exception 'the id of an account is taken from its sequence';
  end if;
  if not exists (select from sign_in_provider p where p.deployment_id = current_deployment() and p.id = provider
      and lower(split_part(address, '@', 2)) = any(p.domains)) then
    raise exception 'the provider does not speak for this address';
  end if;
  insert into person (id, email, name, password_hash, operator, unclaimed_since) overriding system value
    values (account, address, given_name, '', false, now()) on conflict do nothing;
  return found;
end $$;
