-- compatible-with: 0105
-- Which version of the reader looked into an archive. What an older one saw is looked for again; processes of the release before
-- write 1.
alter table firewall_archive add column reader integer not null default 1;
