import type { Malware } from '../../capabilities/firewall/exposure/malware.ts'
import type { KnownVersion } from '../../capabilities/inventory/public.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Violation } from './answers.ts'
import { componentsOf, toComponent } from './project-findings.ts'
import { stableUuid } from './project-uuid.ts'

const policy = 'Malicious packages'

/** Malicious packages of a version. What only waits for a decision is a warning. */
export async function violationsOf(
  db: Database,
  actor: Actor,
  maliciousIn: Malware['maliciousIn'],
  project: KnownVersion,
  now: Date,
): Promise<Violation[]> {
  const found = await maliciousIn(db.as(actor), componentsOf(project))
  return found.flatMap(({ dependency, title, malicious, fingerprint }) => {
    if (!dependency) return []
    const component = toComponent(actor, project, dependency)
    const violationState = malicious ? 'FAIL' : 'WARN'
    const named = { uuid: stableUuid('policy', policy), name: policy, violationState }
    return {
      uuid: stableUuid(component.project, fingerprint),
      type: 'SECURITY',
      text: title,
      timestamp: now.getTime(),
      policyCondition: {
        uuid: stableUuid('condition', policy),
        subject: 'PACKAGE_URL',
        operator: 'IS',
        value: component.purl ?? dependency.name,
        policy: named,
      },
      component,
    }
  })
}
