import type { Actor } from '../../kernel/access/actor.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPage, type PageRequest } from '../../kernel/contract/pagination.ts'
import type { Database } from '../../kernel/database/database.ts'
import { type Registry, registriesOf } from '../package-managers/public.ts'
import { alreadyClaimed, checkedClaim, impossible } from './checked-claim.ts'
import * as claims from './claim-store.ts'
import type { NewClaim, PackageClaim, Release, RememberedName } from './contract.ts'
import * as names from './name-store.ts'
import { nameKey } from './pattern.ts'

export type PackageNameService = ReturnType<typeof createPackageNameService>

/** All of a deployment are looked through for every name, so they are few. */
const mostClaims = 1_000

/** Which names are a deployment's own. */
export function createPackageNameService(db: Database) {
  async function listClaims(actor: Actor, request: PageRequest) {
    const reader = db.as(actor)
    const [found, registries] = await Promise.all([claims.list(reader, request), registriesOf(reader)])
    const { rows, ...page } = cutPage(found, request)
    return { claims: rows.map((row) => shownClaim(row, registries)), ...page }
  }

  function claim(actor: Actor, sent: NewClaim) {
    return db.transaction(actor, async (tx) => {
      const registries = await registriesOf(tx)
      const fields = checkedClaim(sent, registries)
      if ((await claims.count(tx)) >= mostClaims) {
        throw new Fault(
          'unprocessable',
          `A deployment may have at most ${mostClaims} claims. Use patterns with a star to need fewer.`,
        )
      }
      const row = await claims.insert(tx, fields)
      if (!row) throw alreadyClaimed(fields)
      const { registryId: packageManagerConfigId, ...rest } = fields
      const detail = { ...rest, packageManagerConfigId }
      tx.audit({ action: 'package-claim.create', target: targetOf(row.id), detail })
      return shownClaim(row, registries)
    })
  }

  function deleteClaim(actor: Actor, id: number): Promise<PackageClaim> {
    return db.transaction(actor, async (tx) => {
      const [row, registries] = await Promise.all([claims.remove(tx, id), registriesOf(tx)])
      if (!row) throw new Fault('not_found', `No package claim ${id}.`)
      const { ecosystem, pattern } = row
      tx.audit({ action: 'package-claim.delete', target: targetOf(id), detail: { ecosystem, pattern } })
      return shownClaim(row, registries)
    })
  }

  async function listNames(actor: Actor, request: PageRequest) {
    const { rows, ...page } = cutPage(await names.list(db.as(actor), request), request)
    return { names: rows.map(shownName), ...page }
  }

  function release(actor: Actor, { ecosystem, name, packageManagerConfigId: id, reason }: Release) {
    if ((name === undefined) === (id === undefined))
      throw impossible('/name', 'must be there, or packageManagerConfigId, not both')
    return db.transaction(actor, async (tx) => {
      const released =
        name === undefined
          ? await names.releaseOwner(tx, ecosystem, id!)
          : await names.releaseName(tx, ecosystem, nameKey(ecosystem, name))
      if (released === 0) throw new Fault('not_found', `No such ${ecosystem} name belongs to a registry.`)
      const target = name === undefined ? `package-manager-config:${id}` : `package-name:${ecosystem}`
      tx.audit({ action: 'package-name.release', target, detail: { ecosystem, name, released, reason } })
      return { released }
    })
  }

  return { listClaims, claim, deleteClaim, listNames, release }
}

function targetOf(id: number): string {
  return `package-claim:${id}`
}

function shownClaim({ registryId, createdAt, ...row }: claims.ClaimRow, registries: readonly Registry[]): PackageClaim {
  const entry = registries.find(({ id }) => id === registryId)
  const registry = entry ? originOf(entry.url) : null
  return { ...row, packageManagerConfigId: registryId, registry, createdAt: createdAt.toISOString() }
}

function shownName({ registryId, url, seenAt, ...row }: names.NameRow): RememberedName {
  return { ...row, packageManagerConfigId: registryId, registry: originOf(url), seenAt: seenAt.toISOString() }
}

/** The origin alone: an address can carry a token in its path. */
function originOf(url: string): string {
  return new URL(url).origin
}
