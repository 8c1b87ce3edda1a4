-- compatible-with: 0072
-- The rules of a deployment for what comes through its firewall: one list, which is read, tried and replaced as a whole.
create table firewall_rule_list (
  deployment_id bigint primary key references deployment (id) on delete cascade,
  -- Nothing but known malware and what people denied is refused; what would have been is noted.
  watching boolean not null,
  -- [{id, ecosystems, names, condition, effect, mode, note, …}], in their order.
  rules jsonb not null,
  -- The highest number that a rule ever had: none is given twice, because refusals on record name it.
  last_id bigint not null,
  version bigint not null default 1
);
call protect_tenant_table('firewall_rule_list');
create policy worker on firewall_rule_list for select to gatehouse_worker using (true);
grant select (deployment_id, watching, rules) on firewall_rule_list to gatehouse_worker;

-- What a rule that only watches would have refused is on the same record; it came in all the same.
alter table firewall_refusal add column watched boolean not null default false;
