import sql from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { chosenPackages, type PackageName } from '../package-reads.ts'
import type { Conditions } from '../search/conditions.ts'
import { wantedRepositories } from './wanted-repositories.ts'

type PackageRepositories = PackageName & { id: number; repositories: { id: number; name: string }[] }

/** Those of these packages that are known, with the repositories that have them, by name. */
export function repositoriesOfPackages(
  db: Queryable,
  actor: Actor,
  conditions: Conditions,
  packages: readonly PackageName[],
): Promise<PackageRepositories[]> {
  return db.query(sql`with ${wantedRepositories(actor, conditions)}
    select p.id, p.name, p.ecosystem, used.repositories from (${chosenPackages(db.deploymentId, packages)}) p
    cross join lateral (
      select coalesce(jsonb_agg(jsonb_build_object('id', r.id, 'name', r.name) order by r.name), '[]') as repositories
      from repository r where r.deployment_id = ${db.deploymentId} and r.id in (select id from wanted_repository)
        and r.id = any(array(select d.repository_id from package_version v
          cross join lateral (select d.repository_id from dependency d
            where d.deployment_id = ${db.deploymentId} and d.package_version_id = v.id offset 0) d
          where v.deployment_id = ${db.deploymentId} and v.package_id = p.id))
      offset 0) used`)
}
