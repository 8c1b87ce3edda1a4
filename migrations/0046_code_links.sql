-- Where a repository is looked at in a browser. '' and '{}': nobody said.
alter table repository
  add column web_url text not null default '',
  -- Addresses of a file, a commit and a pull request with {path}, {line}, {commit}, {ref} and {number} in them.
  add column link_templates jsonb not null default '{}';
