-- compatible-with: 0105
-- What triggers of membership do, for whoever adds and removes members: on a database that Citus distributes there are no such
-- triggers, because they would run for each copy of the table. Where they have run, these find nothing to do.
create function member_added(deployment bigint, person bigint) returns void language plpgsql as $$
declare
  wanted text;
  is_active boolean;
begin
  select lower(p.email) into wanted from person p where p.id = person;
  update provisioned_user u set person_id = person
    where u.deployment_id = deployment and u.person_id is null and lower(u.address) = wanted
    returning u.active into is_active;
  if is_active = false then
    update membership m set suspended_at = now() where m.deployment_id = deployment and m.person_id = person;
  end if;
end $$;

create function member_removed(deployment bigint, person bigint) returns void language plpgsql as $$
begin
  delete from saved_view v where v.deployment_id = deployment and v.owner_id = person and not v.shared;
end $$;

-- The same for the key of exceptions to teams, whose `on delete set null` Citus does not have.
create function team_removed(deployment bigint, team bigint) returns void language plpgsql as $$
begin
  update firewall_exception e set team_id = null where e.deployment_id = deployment and e.team_id = team;
end $$;
