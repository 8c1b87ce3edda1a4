-- compatible-with: 0105
-- Whether a later scan of the same ref replaced one was looked for among all later scans of its repository. A branch that ended has none,
-- so with 200,000 scans in a repository a thousand of them took minutes, and the task that removes old scans never came to an end.
create index scan_of_ref on scan (deployment_id, repository_id, ref, id) where pull_request = 0;
