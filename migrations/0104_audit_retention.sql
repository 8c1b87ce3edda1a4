-- compatible-with: 0072
-- Old events of an audit log may be removed, its first ones only. What is left stays a chain: the anchor keeps the hash of the last
-- event that was removed, which the first that is left is chained to. Who has the database alone cannot seal an anchor, so whatever
-- else is missing shows.
create table audit_anchor (
  deployment_id bigint not null references deployment (id) on delete cascade,
  -- Everything up to this event was removed.
  seq bigint not null,
  hash bytea not null,
  -- When that event was.
  at timestamptz not null,
  key_version integer not null,
  seal bytea not null,
  primary key (deployment_id)
);
call protect_tenant_table('audit_anchor');
revoke insert, update, delete on audit_anchor from gatehouse_app;

-- The one way to remove events. Whoever asks, the newest stays, and so does everything of the last 31 days.
create function audit_forget(deployment bigint, up_to bigint, key_version integer, seal bytea)
  returns void language plpgsql security definer set search_path from current as $$
declare
  last record;
begin
  if deployment is distinct from current_deployment() then
    raise insufficient_privilege using message = 'the audit log of another deployment';
  end if;
  select event.hash, event.at into last from audit_event event
    where event.deployment_id = deployment and event.seq = up_to
      and event.seq < (select head.seq from audit_head head where head.deployment_id = deployment);
  if last is null or last.at > clock_timestamp() - interval '31 days' then
    raise exception 'these events of the audit log stay';
  end if;
  delete from audit_event event where event.deployment_id = deployment and event.seq <= up_to;
  insert into audit_anchor (deployment_id, seq, hash, at, key_version, seal)
    values (deployment, up_to, last.hash, last.at, audit_forget.key_version, audit_forget.seal)
    on conflict (deployment_id) do update set seq = excluded.seq, hash = excluded.hash, at = excluded.at,
      key_version = excluded.key_version, seal = excluded.seal;
end $$;
revoke execute on function audit_forget from public;
grant execute on function audit_forget to gatehouse_app;
