-- compatible-with: 0072
-- Which door a file of an inventory, or a scan, came through: 'gatehouse' is our own upload. A scan replaces the files of its
-- own source and no others. Processes of 0072 know only their own source.
alter table lockfile add column source text not null default 'gatehouse';
alter table scan add column source text not null default 'gatehouse';
