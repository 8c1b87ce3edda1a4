-- compatible-with: 0072
-- Reading from a replica. Each new connection to one has to show a mark that was written to the primary after it was made: so it
-- is a replica of this very database, on the primary's own timeline.
create table replica_proof (
  id uuid primary key,
  made_at timestamptz not null default now()
);
grant select, insert, delete on replica_proof to gatehouse_identity;
grant select on replica_proof to gatehouse_app;

-- For a replica that has not replayed what whoever asks has to see.
create function refuse_stale() returns text language plpgsql stable parallel safe as $$
begin
  raise sqlstate 'GH002' using message = 'the replica is behind, or is none any more';
end $$;
