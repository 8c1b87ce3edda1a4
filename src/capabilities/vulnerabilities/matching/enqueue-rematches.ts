import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { eachInTurn } from '../../../kernel/jobs/each-deployment.ts'
import { enqueueMany } from '../../../kernel/jobs/outbox.ts'
import { listPackageIds } from '../../inventory/public.ts'
import { waitForRunningMatches } from './match-lock.ts'
import * as store from './rematch-store.ts'

export const matchKind = 'vulnerabilities.match'

export type RematchLimits = {
  /** A change of more ranges than that is followed package by package of the deployment, not range by range. */
  changes: number
  packagesAtOnce: number
}
const usualLimits: RematchLimits = { changes: 20_000, packagesAtOnce: 1_000 }
const jobsAtOnce = 500

/** Has everybody look again who has a package version that changed advisories name, or named until then. */
export async function enqueueRematches(db: Database, limits: RematchLimits = usualLimits): Promise<void> {
  await eachInTurn(await store.listBehind({ query: db.workerQuery }), ({ id, revision }) =>
    enqueueRematchesIn(db, id, revision, limits),
  )
}

async function enqueueRematchesIn(
  db: Database,
  deploymentId: number,
  revision: number,
  limits: RematchLimits,
): Promise<void> {
  const actor = systemActor(deploymentId, 'vulnerabilities')
  await db.transaction(actor, waitForRunningMatches)
  const after = await store.findRevision(db.as(actor))
  const repositories = new Set<number>()
  for await (const packages of affectedPackages(db, deploymentId, after, limits)) {
    for (const id of await store.listRepositories(db.as(actor), packages, after)) repositories.add(id)
  }
  const ids = [...repositories].sort((a, b) => a - b)
  await db.transaction(actor, async (tx) => {
    for (let at = 0; at < ids.length; at += jobsAtOnce) {
      const some = ids.slice(at, at + jobsAtOnce)
      await enqueueMany(
        tx,
        some.map((repositoryId) => ({ kind: matchKind, payload: { repositoryId } })),
      )
    }
    await store.noteRevision(tx, revision)
  })
}

/** Whichever are fewer: the packages of the change, or those of the deployment. */
async function* affectedPackages(db: Database, deploymentId: number, after: number, limits: RematchLimits) {
  const { changes, packagesAtOnce } = limits
  const tenant = db.as({ deploymentId })
  const changed = await store.listChanged(tenant, after, changes)
  if (changed) {
    for (let at = 0; at < changed.length; at += packagesAtOnce) yield changed.slice(at, at + packagesAtOnce)
    return
  }
  for (let last = 0; ; ) {
    const ids = await listPackageIds(tenant, last, packagesAtOnce)
    if (ids.length === 0) return
    yield ids
    last = ids.at(-1)!
  }
}
