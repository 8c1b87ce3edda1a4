-- Lists of dependencies go repository by repository, file by file, version by version, and each page starts where the last one
-- ended: the key is in that order, so that a page costs the same wherever it is and however many come before it.
alter table dependency drop constraint dependency_pkey;
alter table dependency add primary key (deployment_id, repository_id, lockfile_id, package_version_id, ordinal);
create index lockfile_in_repository on lockfile (deployment_id, repository_id, path);
