-- compatible-with: 0105
-- The function kept a plan for any list of ids. On a table without statistics that plan compared every entry with every id: 30,000 ids and
-- 3,000 comments took a minute. With a list that is known when it is planned, PostgreSQL looks each entry up in it, or each id in the
-- index; both take milliseconds whatever the statistics say.
create or replace function delete_discussions() returns trigger language plpgsql set plan_cache_mode = force_custom_plan as $$
declare
  own record;
begin
  for own in select gone.deployment_id, array_agg(gone.id) as ids from gone group by gone.deployment_id loop
    delete from subject_assignment a
    where a.deployment_id = own.deployment_id and a.kind = tg_argv[0] and a.subject_id = any(own.ids);
    delete from discussion_entry e
    where e.deployment_id = own.deployment_id and e.kind = tg_argv[0] and e.subject_id = any(own.ids);
  end loop;
  return null;
end $$;
