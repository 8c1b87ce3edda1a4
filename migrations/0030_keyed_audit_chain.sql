-- The audit log as a chain of keyed hashes (HMAC), which somebody with the database alone cannot make. The server makes them:
-- its key does not come here. What was written before stays as it is, chained without a key.

-- Null: chained without a key.
alter table audit_event add column key_version integer;

alter table audit_head
  -- From which event on the chain is keyed.
  add column keyed_from bigint,
  add column key_version integer,
  -- Over everything above: an earlier end of the log cannot be made the current one, since its seal is nowhere any more.
  add column seal bytea;

drop function audit_append;
drop function audit_hash;

-- The end of the chain, held until the transaction ends; the time of what is about to be written; and its details as they
-- will read. Nobody gets the log of a deployment that they are not working for, whoever owns the tables.
create function audit_head_for_append(deployment bigint, details text[])
  returns table (seq bigint, hash bytea, keyed_from bigint, key_version integer, seal bytea, at bigint, texts text[])
  language plpgsql security definer set search_path from current as $$
begin
  if deployment is distinct from current_deployment() then
    raise insufficient_privilege using message = 'the audit log of another deployment';
  end if;
  insert into audit_head (deployment_id, seq, hash) values (deployment, 0, '\x'::bytea) on conflict do nothing;
  return query select head.seq, head.hash, head.keyed_from, head.key_version, head.seal,
      (extract(epoch from clock_timestamp()) * 1000000)::bigint,
      array(select given.text::jsonb::text from unnest(details) with ordinality as given (text, place) order by place)
    from audit_head head where head.deployment_id = deployment for update;
end $$;

-- Writes events, [{action, target, detail, hash}], behind the end that `audit_head_for_append` has told.
create function audit_append(deployment bigint, after_seq bigint, at bigint, person bigint, token bigint, request text,
    events jsonb, keyed_from bigint, key_version integer, seal bytea)
  returns void language plpgsql security definer set search_path from current as $$
begin
  if deployment is distinct from current_deployment() then
    raise insufficient_privilege using message = 'the audit log of another deployment';
  end if;
  insert into audit_event (deployment_id, seq, at, person_id, token_id, request_id, action, target, detail, hash, key_version)
    select deployment, after_seq + place, timestamptz 'epoch' + audit_append.at * interval '1 microsecond', person, token,
      request, event ->> 'action', event ->> 'target', (event ->> 'detail')::jsonb, decode(event ->> 'hash', 'hex'),
      audit_append.key_version
    from jsonb_array_elements(events) with ordinality as given (event, place);
  update audit_head head set seq = after_seq + jsonb_array_length(events),
      hash = decode(events -> -1 ->> 'hash', 'hex'), keyed_from = audit_append.keyed_from,
      key_version = audit_append.key_version, seal = audit_append.seal
    where head.deployment_id = deployment and head.seq = after_seq;
  if not found then
    raise exception 'the end of the audit log is another';
  end if;
end $$;

revoke execute on function audit_head_for_append, audit_append, still_seals from public;
grant execute on function audit_head_for_append, audit_append to gatehouse_app, gatehouse_identity, gatehouse_worker;
grant execute on function still_seals to gatehouse_app;

-- The worker role works across deployments, so it sees no more of each than it needs: no credential, not even a sealed one, and
-- not who did what or why.

-- What the worker asks about the token, which is not its business.
alter table ticketing_instance add column connected boolean not null generated always as (api_token is not null) stored;
revoke select on ticketing_instance from gatehouse_worker;
grant select (deployment_id, id, connected, auth_revoked_at, polled_at, poll_asked_at) on ticketing_instance
  to gatehouse_worker;

revoke select on package, package_version from gatehouse_worker;
grant select (deployment_id, id, ecosystem, name) on package to gatehouse_worker;
grant select (deployment_id, id, package_id, version) on package_version to gatehouse_worker;

revoke select, insert, update on firewall_deployment, firewall_override, firewall_held from gatehouse_worker;
grant select, insert (deployment_id, rules), update (rules) on firewall_deployment to gatehouse_worker;
grant select (deployment_id, id, ecosystem, name, version, effect, reason, expires_at, lapsed) on firewall_override
  to gatehouse_worker;
grant select (deployment_id, advisory_id, ecosystem, name, state),
  insert (deployment_id, advisory_id, ecosystem, name, repository_count) on firewall_held to gatehouse_worker;

revoke update on outbox from gatehouse_worker;
grant update (leased_until, attempt, run_at, error, dead_at) on outbox to gatehouse_worker;
