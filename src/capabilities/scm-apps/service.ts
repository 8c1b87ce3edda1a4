import { type Actor, systemActor } from '../../kernel/access/actor.ts'
import { requireVersion } from '../../kernel/contract/etag.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPage, type PageRequest } from '../../kernel/contract/pagination.ts'
import type { Database, Queryable, Transaction } from '../../kernel/database/database.ts'
import { withFreeSlug } from '../../kernel/database/free-slug.ts'
import { sealedColumns, sealedFieldOf } from '../../vault/rotation/sealed-columns.ts'
import { sealedTransaction } from '../../vault/sealed-transaction.ts'
import type { EndBranch, EndPullRequest } from '../findings/public.ts'
import { findNamed, lockNamed } from '../repositories/public.ts'
import { endDeletedBranches } from '../scans/public.ts'
import { makeCertificate } from './certificates/certificate.ts'
import * as certificates from './certificates/certificate-store.ts'
import type { InstalledApp, MadeDevopsApp, NewDevopsApp, ScmApp } from './contract.ts'
import { checkedBaseUrl } from './installation/base-url.ts'
import { createInstallation, type InstallationOptions } from './installation/installation.ts'
import { createLeases } from './installation/lease.ts'
import { toInstalled, toScmApp } from './shown-app.ts'
import * as store from './store.ts'
import { readDeletedBranches } from './webhooks/branch-event.ts'
import { readPullRequestEnd } from './webhooks/pull-request-event.ts'
import { carriesSecret } from './webhooks/webhook-secret.ts'

export type ScmAppService = ReturnType<typeof createScmAppService>

type ScmAppOptions = InstallationOptions & {
  db: Database
  endPullRequest: EndPullRequest
  endBranch: EndBranch
}

export function createScmAppService(options: ScmAppOptions) {
  const { db, ring, clock, endPullRequest, endBranch } = options
  const installation = createInstallation(options)
  const leases = createLeases(options)

  async function list(actor: Actor, request: PageRequest) {
    const { rows, ...page } = cutPage(await store.list(db.as(actor), request), request)
    const all = await certificates.listCertificates(
      db.as(actor),
      rows.map((row) => row.id),
    )
    // An app that was deleted between the two looks has no certificate left.
    const apps = rows.flatMap((row) => {
      const own = all.filter((each) => each.scm_app_id === row.id)
      return own.length > 0 ? [toScmApp(row, own, clock.now())] : []
    })
    return { apps, ...page }
  }

  /** How many need another certificate soon. */
  async function countExpiring(actor: Actor): Promise<number> {
    let count = 0
    for (let after = 0, hasMore = true; hasMore; ) {
      const page = await list(actor, { after, size: 100 })
      count += page.apps.filter((app) => app.expiresSoon).length
      hasMore = page.hasMore
      after = Number(page.cursor)
    }
    return count
  }

  async function get(actor: Actor, id: number): Promise<ScmApp> {
    return shown(db.as(actor), await store.find(db.as(actor), id), id)
  }

  async function create(actor: Actor, asked: NewDevopsApp): Promise<MadeDevopsApp> {
    const { deploymentId: _, ...rest } = asked
    const app = { ...rest, baseUrl: checkedBaseUrl(asked.baseUrl) }
    return withNewCertificate(actor, app.clientId, async (tx) => {
      const id = await withFreeSlug(`${app.organizationName} ${app.projectName}`, 'devops', (slug) =>
        store.insert(tx, { ...app, slug }),
      )
      tx.audit({ action: 'scm-app.create', target: `scm-app:${id}`, detail: app })
      return id
    })
  }

  async function rotate(actor: Actor, id: number): Promise<MadeDevopsApp> {
    const { client_id } = required(await store.find(db.as(actor), id), id)
    return withNewCertificate(actor, client_id, async (tx) => {
      requireVersion(actor, required(await store.lock(tx, id), id).version)
      await certificates.removeUnaccepted(tx, id)
      await store.bumpVersion(tx, id)
      tx.audit({ action: 'scm-app.rotate-certificate', target: `scm-app:${id}` })
      return id
    })
  }

  /** Makes and seals it before the transaction begins; `appIn` says which app it belongs to. */
  async function withNewCertificate(actor: Actor, clientId: string, appIn: (tx: Transaction) => Promise<number>) {
    const made = await makeCertificate(clientId, clock.now())
    const id = await certificates.reserveCertificateId({ query: db.identityQuery })
    const secret = { plaintext: made.privateKeyPem, place: sealedFieldOf(sealedColumns.scmAppPrivateKey, id) }
    return sealedTransaction({ db, ring }, actor, secret, async (tx, sealed) => {
      const appId = await appIn(tx)
      await certificates.insertCertificate(tx, { ...made, id, appId, privateKey: sealed! })
      return { scmAppId: String(appId), publicCertificatePem: made.pem }
    })
  }

  async function complete(actor: Actor, id: number): Promise<InstalledApp> {
    await checkBeforehand(actor, id)
    const held = await leases.take(actor, id, { withSecret: true })
    if (!held) throw notFound(id)
    return leases.holding(actor, held, async () => {
      const { certificateId, webhookIds } = await installation.install(actor, held)
      return db.transaction(actor, async (tx) => {
        const app = await store.markReady(tx, id, held.lease, webhookIds)
        const isCurrent = app && (await certificates.accept(tx, id, certificateId, clock.now()))
        if (!isCurrent) throw new Fault('conflict', `App ${id} was changed in the meantime; complete it again.`)
        tx.audit({ action: 'scm-app.complete', target: `scm-app:${id}`, detail: { webhooks: webhookIds.length } })
        return toInstalled(app)
      })
    })
  }

  async function remove(actor: Actor, id: number): Promise<{ app: ScmApp; webhooksRemoved: boolean }> {
    await checkBeforehand(actor, id)
    const held = await leases.take(actor, id, { withSecret: false })
    // Gone already: the transaction below says so, or repeats what it said to the same Idempotency-Key.
    if (!held) return removeRow(actor, id, false)
    return leases.holding(actor, held, async () => removeRow(actor, id, await installation.uninstall(actor, held)))
  }

  function removeRow(actor: Actor, id: number, webhooksRemoved: boolean) {
    return db.transaction(actor, async (tx) => {
      const app = await shown(tx, await store.lock(tx, id), id)
      await store.remove(tx, id)
      tx.audit({ action: 'scm-app.delete', target: `scm-app:${id}`, detail: { slug: app.slug, webhooksRemoved } })
      return { app, webhooksRemoved }
    })
  }

  /** In a transaction of its own, because it is here that a repeated Idempotency-Key with another request is noticed. */
  async function checkBeforehand(actor: Actor, id: number): Promise<void> {
    await db.transaction(actor, async (tx) => requireVersion(actor, required(await store.lock(tx, id), id).version))
  }

  async function receiveEvent(
    id: number,
    authorization: string | undefined,
    requestId: string,
    event: Record<string, unknown>,
  ): Promise<void> {
    const source = await store.findEventSource({ query: db.identityQuery }, id)
    if (!carriesSecret(authorization, source?.webhook_secret_hash) || !source) {
      throw new Fault('unauthenticated', 'The secret of the webhook is missing or not right.', { cause: 'webhook' })
    }
    const actor: Actor = {
      deploymentId: source.deployment_id,
      personId: 0,
      tokenId: 0,
      role: 'readonly',
      permissions: new Set(),
      requestId,
    }
    await db.transaction(actor, (tx) => store.countEvent(tx, id, clock.now()))
    const system = systemActor(source.deployment_id, requestId)
    const end = readPullRequestEnd(event)
    if (end) {
      const { pullRequest, merged } = end
      await inRepository(system, id, end, async (tx, repository) => {
        const why = `The pull request was ${merged ? 'merged' : 'closed'}.`
        const endedFindings = await endPullRequest(tx, { repositoryId: repository.id, pullRequest, why, scanId: 0 })
        const detail = { pullRequest, merged, endedFindings, scmAppId: id }
        tx.audit({ action: 'pull-request.end', target: `repository:${repository.id}`, detail })
      })
    }
    const deleted = readDeletedBranches(event)
    if (deleted) {
      await inRepository(system, id, deleted, (tx, repository) =>
        endDeletedBranches(tx, endBranch, { repository, refs: deleted.refs, by: { scmAppId: id } }),
      )
    }
  }

  /** Repositories are known by the names that the service's own builds upload them under. */
  async function inRepository(
    actor: Actor,
    id: number,
    of: { project: string; repository: string },
    settle: (tx: Transaction, repository: { id: number; defaultBranch: string }) => Promise<void>,
  ): Promise<void> {
    await db.transaction(actor, async (tx) => {
      const app = await store.find(tx, id)
      // A subscription is for one project; other repositories are none of its business.
      if (app?.project_name !== of.project) return
      const name = await knownAs(tx, [`${of.project}/`, `${app.organization_name}/${of.project}/`], of.repository)
      const repository = name === undefined ? undefined : await lockNamed(tx, actor, name)
      if (repository) await settle(tx, repository)
    })
  }

  async function shown(from: Queryable, row: store.AppRow | undefined, id: number): Promise<ScmApp> {
    const app = required(row, id)
    const own = await certificates.listCertificates(from, [id])
    if (own.length === 0) throw notFound(id)
    return toScmApp(app, own, clock.now())
  }

  return { list, countExpiring, get, create, rotate, complete, remove, receiveEvent }
}

/** What is called so now comes before what was called so once, and that has to be of the project still. */
async function knownAs(tx: Transaction, folders: readonly string[], name: string): Promise<string | undefined> {
  const asked = folders.map((folder) => folder + name)
  const found = await Promise.all(asked.map((each) => findNamed(tx, tx.actor, each)))
  const names = found.flatMap((each) => each?.name ?? [])
  return (
    names.find((each) => asked.includes(each)) ??
    names.find((each) => folders.some((folder) => each.startsWith(folder)))
  )
}

function required(row: store.AppRow | undefined, id: number): store.AppRow {
  if (!row) throw notFound(id)
  return row
}

function notFound(id: number): Fault {
  return new Fault('not_found', `No DevOps app ${id}.`)
}
