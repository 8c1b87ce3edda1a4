import type { Reaction } from '../../domain/event-reactions.ts'
import type { ActionOrder } from '../../domain/trigger-event.ts'
import { type Actor, systemActor } from '../../kernel/access/actor.ts'
import type { Database } from '../../kernel/database/database.ts'
import { createReadAhead } from '../../kernel/database/read-ahead.ts'
import { type JobHandler, Permanent, Transient } from '../../kernel/jobs/job.ts'
import { enqueueMany } from '../../kernel/jobs/outbox.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Outbound } from '../../outbound/client/client.ts'
import type { KeyRing } from '../../vault/key-ring.ts'
import { sealedColumns, sealedFieldOf } from '../../vault/rotation/sealed-columns.ts'
import { describeFindings, describeSevere } from '../findings/public.ts'
import { isDefaultBranch } from '../repositories/public.ts'
import { CloudsecError, createCloudsecApi } from './cloudsec-api.ts'
import * as store from './store.ts'
import { documentOf } from './upload-document.ts'

const kind = 'cloudsec.push'
const mostFindings = 10_000

type Payload = { credentialId: number; repositoryId: number }
type Upload = {
  credentialId: number
  source: string
  name: string
  findings: Awaited<ReturnType<typeof describeSevere>>
}

const credentialsFor = createReadAhead((tx) => store.listIds(tx))

/** After a full scan of a default branch, for every credential. What is pushed is read when it is pushed. */
const onScan: Reaction = async (tx, { source, repository, ref, pullRequest }) => {
  if (source !== 'TRIGGER_SOURCE_SCAN' || !repository || pullRequest > 0) return
  const ids = await credentialsFor.take(tx, source)
  if (ids.length === 0 || !(await isDefaultBranch(tx, repository.id, ref))) return
  await enqueueMany(
    tx,
    ids.map((id) => ({
      kind,
      payload: { credentialId: id, repositoryId: repository.id } satisfies Payload,
      lane: `cloudsec:${id}`,
    })),
  )
}

export const pushAfterScan: Reaction = Object.assign(onScan, { expect: credentialsFor.begin })

export type PushOptions = { db: Database; ring: KeyRing; outbound: Outbound; clock: Clock; timeoutMs?: number }

const oneRequestMs = 30_000

/** Findings on their way to a cloud-security service. */
export function createPushing({ db, ring, outbound, clock, timeoutMs = oneRequestMs }: PushOptions) {
  /** All critical and high findings of the repository, in the place of what was there before: pushing twice is as once. */
  const job: JobHandler = {
    kind,
    async run({ deploymentId, payload, key }) {
      const { credentialId, repositoryId } = payload as Payload
      const actor = systemActor(deploymentId, `${kind}:${key}`)
      const findings = await describeSevere(db.as(actor), repositoryId, mostFindings)
      const source = `gatehouse:${deploymentId}:repository:${repositoryId}`
      await push(actor, { credentialId, source, name: key, findings })
    },
  }

  /** For automations: the findings an order is about, under a source of its own. */
  async function pushFindings({ deploymentId, config, subjects, key }: ActionOrder): Promise<void> {
    const ids = subjects.filter((subject) => subject.kind === 'finding').map(({ id }) => Number(id))
    if (ids.length === 0) return
    const actor = systemActor(deploymentId, key)
    const findings = await describeFindings(db.as(actor), actor, ids)
    const source = `gatehouse:${deploymentId}:order:${key}`
    await push(actor, { credentialId: Number(config.cloudsecCredentialId), source, name: key, findings })
  }

  async function push(actor: Actor, { credentialId, source, name, findings }: Upload): Promise<void> {
    const row = await store.findWithSecret(db.as(actor), credentialId)
    if (!row) throw new Permanent(`The cloud-security credential ${credentialId} was deleted.`)
    const place = sealedFieldOf(sealedColumns.cloudsecClientSecret, credentialId)
    const clientSecret = (await ring.open(String(actor.deploymentId), row.clientSecret, place)).toString('utf8')
    const { clientId, apiUrl, tokenUrl } = row
    const api = createCloudsecApi(outbound, { clientId, clientSecret, apiUrl, tokenUrl }, timeoutMs)
    try {
      await api.upload(fileName(name), documentOf(source, findings, clock.now()))
    } catch (error) {
      if (!(error instanceof CloudsecError)) throw error
      throw error.isPassing ? new Transient(error.message, error.retryAfterSeconds) : new Permanent(error.message)
    }
    await db.transaction(actor, async (tx) =>
      tx.audit({
        action: 'cloudsec.push',
        target: `cloudsec-credential:${credentialId}`,
        detail: { source, findings: findings.length },
      }),
    )
  }

  return { job, pushFindings }
}

function fileName(key: string): string {
  return `gatehouse-${key.replace(/[^A-Za-z0-9-]/g, '-').slice(0, 100)}.json`
}
