import { type Actor, requireSignedInPerson } from '../../kernel/access/actor.ts'
import type { Identity } from '../../kernel/access/identity.ts'
import { permitted } from '../../kernel/access/permission.ts'
import { requireVersion, withVersion } from '../../kernel/contract/etag.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { slugOf } from '../../kernel/contract/schema.ts'
import type { Database, Transaction } from '../../kernel/database/database.ts'
import { enroll } from '../people/public.ts'
import type { Deployment, DeploymentChanges, NewDeployment, NewPeopleSee } from './contract.ts'
import * as store from './store.ts'

/** What a capability puts into every new deployment, in the transaction that makes it. */
export type Provision = (tx: Transaction) => Promise<void>

export type DeploymentService = ReturnType<typeof createDeploymentService>

export function createDeploymentService(db: Database, provisions: Provision[], newPeopleSee: NewPeopleSee = 'all') {
  async function list(caller: Identity): Promise<{ deployments: Deployment[] }> {
    const rows = await store.listWithIds({ query: db.identityQuery }, [...caller.roles.keys()])
    return { deployments: rows.map(toDeployment) }
  }

  function create(caller: Identity, requestId: string, { name, slug, ...rest }: NewDeployment): Promise<Deployment> {
    if (!caller.operator) throw new Fault('forbidden', 'Only operators create deployments.')
    return make(caller.personId, requestId, { name, slug: slug ?? slugOf(name), ...rest })
  }

  /** The id is taken first, so that everything of the new deployment is one transaction of its own tenant. */
  async function make(
    ownerId: number,
    requestId: string,
    wanted: NewDeployment & { slug: string },
  ): Promise<Deployment> {
    const { name, slug } = wanted
    const sees = wanted.newPeopleSee ?? newPeopleSee
    if (slug === '') throw new Fault('unprocessable', `No slug can be made from the name '${name}'; give one.`)
    const deploymentId = await store.nextId({ query: db.identityQuery })
    const permissions = permitted('owner', undefined)
    const owner: Actor = { deploymentId, personId: ownerId, tokenId: 0, role: 'owner', permissions, requestId }
    return db.transaction(owner, async (tx) => {
      const row = await store.insert(tx, { name, slug, newPeopleSee: sees })
      if (!row) throw new Fault('conflict', `The slug '${slug}' is taken.`)
      await enroll(tx, ownerId, 'owner')
      for (const provision of provisions) await provision(tx)
      tx.audit({
        action: 'deployment.create',
        target: `deployment:${deploymentId}`,
        detail: { name, slug, newPeopleSee: sees },
      })
      return toDeployment(row)
    })
  }

  async function get(actor: Actor): Promise<Deployment> {
    const row = await store.find(db.as(actor))
    if (!row) throw new Fault('not_found', `No deployment ${actor.deploymentId}.`)
    return toDeployment(row)
  }

  function update(actor: Actor, changes: DeploymentChanges): Promise<Deployment> {
    return db.transaction(actor, async (tx) => {
      const row = await store.lock(tx)
      if (!row) throw new Fault('not_found', `No deployment ${actor.deploymentId}.`)
      requireVersion(actor, row.version)
      const { name = row.name, newPeopleSee = row.new_people_see, secondFactor = row.second_factor } = changes
      const target = `deployment:${row.id}`
      if (name !== row.name) tx.audit({ action: 'deployment.rename', target, detail: { from: row.name, to: name } })
      const { new_people_see: from } = row
      if (newPeopleSee !== from)
        tx.audit({ action: 'deployment.visibility', target, detail: { from, to: newPeopleSee } })
      if (secondFactor !== row.second_factor) {
        requireSignedInPerson(actor, 'Changing who needs a second factor')
        const detail = { from: row.second_factor, to: secondFactor }
        tx.audit({ action: 'deployment.second-factor', target, detail })
      }
      return toDeployment(await store.update(tx, { name, newPeopleSee, secondFactor }))
    })
  }

  function count(): Promise<number> {
    return store.count({ query: db.identityQuery })
  }

  return { list, create, make, get, update, count }
}

function toDeployment(row: store.DeploymentRow): Deployment {
  const { id, name, slug, new_people_see: newPeopleSee, second_factor: secondFactor } = row
  const createdAt = row.created_at.toISOString()
  return withVersion({ id, name, slug, newPeopleSee, secondFactor, createdAt }, row.version)
}
