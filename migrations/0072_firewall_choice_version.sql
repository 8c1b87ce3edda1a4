-- Who changes the settings of an ecosystem says which version of them they saw.
alter table firewall_choice add column version bigint not null default 1;
