-- compatible-with: 0105
-- Who has a name, whichever trust they came by.
create index ci_repository_name on ci_repository (deployment_id, name, trust_id);
