-- Where audit logs are pushed to, and how far they have come: the webhook of a deployment, and the syslog receiver of the
-- operator. The log itself is the queue: what lies behind the position has not been taken yet.
create table audit_stream (
  deployment_id bigint not null references deployment (id) on delete cascade,
  id text not null check (id in ('webhook', 'syslog')),
  -- {"url", "signingKey"} of a webhook; the receiver of the operator is in the environment.
  secret sealed_value,
  -- Scheme, host and port, for people.
  origin text not null,
  active boolean not null default true,
  -- Everything up to this event was taken.
  position bigint not null,
  sent_at timestamptz,
  failing_since timestamptz,
  failures integer not null default 0,
  retry_at timestamptz,
  error text not null default '',
  version bigint not null default 1,
  primary key (deployment_id, id),
  check ((id = 'webhook') = (secret is not null))
);
call protect_tenant_table('audit_stream');

-- The worker role finds out whose log has something to push, not what.
create policy worker on audit_stream for select to gatehouse_worker using (true);
grant select (deployment_id, id, active, position, retry_at, failing_since) on audit_stream to gatehouse_worker;
create policy worker on audit_head for select to gatehouse_worker using (true);
grant select (deployment_id, seq) on audit_head to gatehouse_worker;
