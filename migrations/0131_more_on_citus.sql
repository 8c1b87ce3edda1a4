-- compatible-with: 0105
-- Citus names every column with a default where rows are added. So the worker may name those of a deployment's first row, and they
-- are what they would be without it.
grant insert (exposure_revision, contact, four_eyes, exception_settings_version, exceptions_judged) on firewall_deployment
  to gatehouse_worker;
create policy worker_adds on firewall_deployment as restrictive for insert to gatehouse_worker
  with check (exposure_revision = 0 and contact = '' and not four_eyes and exception_settings_version = 0 and exceptions_judged = '');

-- What a statement deleted is read alone: Citus plans no query over it and a table.
create or replace function delete_discussions() returns trigger language plpgsql as $$
declare
  own record;
begin
  for own in select gone.deployment_id, array_agg(gone.id) as ids from gone group by gone.deployment_id loop
    delete from subject_assignment a using unnest(own.ids) as gone_id
    where a.deployment_id = own.deployment_id and a.kind = tg_argv[0] and a.subject_id = gone_id;
    delete from discussion_entry e using unnest(own.ids) as gone_id
    where e.deployment_id = own.deployment_id and e.kind = tg_argv[0] and e.subject_id = gone_id;
  end loop;
  return null;
end $$;
