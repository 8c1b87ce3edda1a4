import type { Fire, Subject } from '../../domain/trigger-event.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import type { Database, Transaction } from '../../kernel/database/database.ts'
import type { JobHandler } from '../../kernel/jobs/job.ts'
import { enqueue } from '../../kernel/jobs/outbox.ts'
import type { RefusedArtifact } from '../firewall-activity/public.ts'

const kind = 'firewall.refused'
/** More of them at once are a client that asks for everything: the record has them all. */
const mostTold = 100

/** Written down with the refusals; told afterwards, so that no automation keeps a refusal from being recorded. */
export async function tellRefused(tx: Transaction, refused: readonly RefusedArtifact[]): Promise<void> {
  if (refused.length > 0) await enqueue(tx, { kind, payload: { refused: refused.slice(0, mostTold) } })
}

/** Sets off the automations and tells the channels that wait for refusals. */
export function refusedNews({ db, fire }: { db: Database; fire: Fire }): JobHandler {
  return {
    kind,
    run: async (job) => {
      const { refused } = job.payload as { refused: RefusedArtifact[] }
      await db.transaction(systemActor(job.deploymentId, job.key), (tx) =>
        fire(tx, {
          source: 'TRIGGER_SOURCE_FIREWALL_REFUSED',
          repository: null,
          ref: '',
          scanId: 0,
          pullRequest: 0,
          subjects: async () => refused.map(subjectOf),
        }),
      )
    },
  }
}

function subjectOf(refused: RefusedArtifact): Subject {
  const { ecosystem, name, version, reason, watched } = refused
  const what = version === '*' ? `every version of ${name}` : `${name}@${version}`
  const outcome = watched ? 'would have been refused, and came in' : 'was refused'
  return {
    ...firewallSubject(refused),
    title: `${ecosystem} ${what} ${outcome}: ${reason}`,
    ...(watched && { watched }),
  }
}

/** A package that was refused, as automations look at it. */
export function firewallSubject(refused: Pick<RefusedArtifact, 'ecosystem' | 'name' | 'version' | 'rule'>): Subject {
  const { ecosystem, name, version, rule } = refused
  const malicious = rule === 'malicious'
  return {
    kind: 'dependency',
    id: `${ecosystem}/${name}@${version}`,
    title: '',
    path: '',
    severity: malicious ? 'SEVERITY_CRITICAL' : 'SEVERITY_MEDIUM',
    confidence: '',
    product: 'PRODUCT_TYPE_SCA',
    reachability: '',
    ruleId: rule,
    category: '',
    cwes: [],
    malicious,
    triageState: 'TRIAGE_STATE_OPEN',
    isNew: true,
  }
}
