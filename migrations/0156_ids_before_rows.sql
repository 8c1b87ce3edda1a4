-- compatible-with: 0105
-- Whoever knows the ids of a repository, a scan and its files beforehand sends all that makes them in one round trip.
grant usage on sequence repository_id_seq, scan_id_seq, lockfile_id_seq to gatehouse_app;
