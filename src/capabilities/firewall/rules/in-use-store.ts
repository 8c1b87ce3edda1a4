import sql from 'sql-template-tag'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { versionsGiven } from '../../firewall-activity/public.ts'
import { joinDependencies, joinPackages, joinVersions } from '../../inventory/public.ts'
import { versionKey } from '../version-key.ts'
import type { VersionsInUse } from './known-package.ts'

/** Which versions of a package the clients of a deployment were given, and which its repositories have. */
export async function versionsInUse(db: Queryable, ecosystem: EcosystemId, name: string): Promise<VersionsInUse> {
  const keys = (versions: readonly string[]) => new Set(versions.map((version) => versionKey(ecosystem, version)))
  const given = await versionsGiven(db, ecosystem, name)
  return { given: keys(given), present: keys(await versionsPresent(db, ecosystem, name)) }
}

async function versionsPresent(db: Queryable, ecosystem: string, name: string): Promise<string[]> {
  const deployment = sql`${db.deploymentId}`
  const rows = await db.query<{ version: string }>(sql`select distinct v.version
    from (select ${name}::text as name, ${ecosystem}::text as ecosystem) named
    ${joinPackages(deployment, sql`named`)} ${joinVersions(deployment)} ${joinDependencies(deployment)}`)
  return rows.map(({ version }) => version)
}
