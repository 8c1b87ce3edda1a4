-- What only the page of a finding shows: the steps of its data flow, the lines around it, the version that fixes it.
-- null: nothing. Apart from `content`, so that searches and counts do not read it.
alter table finding add column detail jsonb;

-- What a tool says about a rule. '': nothing.
alter table finding_rule
  add column description text not null default '',
  add column help text not null default '',
  add column help_uri text not null default '';
