import { ecosystems } from '../../../ecosystems/registry.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { vulnerabilitiesOf } from '../../vulnerabilities/public.ts'
import { versionPattern } from '../patterns/version-pattern.ts'
import type { Subject } from './exception-store.ts'

export async function vulnerabilityIds(db: Queryable, subject: Subject): Promise<string[]> {
  return (await knownVulnerabilities(db, subject)).map(({ id }) => id)
}

/** The vulnerabilities of a version; of a range nobody can say which version comes in. */
export async function knownVulnerabilities(db: Queryable, { ecosystem, name, version }: Subject) {
  if (version === '*' || versionPattern(ecosystem, version).kind !== 'exact') return []
  const orderKey = Buffer.from(ecosystems[ecosystem].orderKey(version))
  return vulnerabilitiesOf(db, { ecosystem, name }, [{ version, orderKey }])
}
