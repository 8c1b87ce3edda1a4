import type { Actor } from '../../kernel/access/actor.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { cutPage, type PageRequest } from '../../kernel/contract/pagination.ts'
import type { Database } from '../../kernel/database/database.ts'
import { registriesOf } from '../package-managers/public.ts'
import * as claims from './claim-store.ts'
import type { NewClaim, PackageClaim, Release, RememberedName } from './contract.ts'
import * as names from './name-store.ts'
import { nameKey, readPattern } from './pattern.ts'

export type PackageNameService = ReturnType<typeof createPackageNameService>

/** All of a deployment are looked through for every name, so they are few. */
const mostClaims = 1_000

/** Which names are a deployment's own. */
export function createPackageNameService(db: Database) {
  async function listClaims(actor: Actor, request: PageRequest) {
    const { rows, ...page } = cutPage(await claims.list(db.as(actor), request), request)
    return { claims: rows.map(shownClaim), ...page }
  }

  function claim(actor: Actor, { ecosystem, packageManagerConfigId = null, reason, ...sent }: NewClaim) {
    const read = readPattern(ecosystem, sent.pattern)
    if ('problem' in read) throw impossible('/pattern', read.problem)
    const { pattern } = read
    return db.transaction(actor, async (tx) => {
      const isFit = (registry: { id: number; ecosystem: string }) =>
        registry.id === packageManagerConfigId && registry.ecosystem === ecosystem
      if (packageManagerConfigId !== null && !(await registriesOf(tx)).some(isFit)) {
        throw impossible('/packageManagerConfigId', `must be the id of a package manager config for ${ecosystem}`)
      }
      if ((await claims.count(tx)) >= mostClaims) {
        throw new Fault(
          'unprocessable',
          `A deployment may have at most ${mostClaims} claims. Use patterns with a star to need fewer.`,
        )
      }
      const row = await claims.insert(tx, { ecosystem, pattern, registryId: packageManagerConfigId, reason })
      if (!row) throw new Fault('conflict', `${ecosystem} ${pattern} is already claimed; delete that claim first.`)
      const detail = { ecosystem, pattern, packageManagerConfigId, reason }
      tx.audit({ action: 'package-claim.create', target: targetOf(row.id), detail })
      return shownClaim(row)
    })
  }

  function deleteClaim(actor: Actor, id: number): Promise<PackageClaim> {
    return db.transaction(actor, async (tx) => {
      const row = await claims.remove(tx, id)
      if (!row) throw new Fault('not_found', `No package claim ${id}.`)
      const { ecosystem, pattern } = row
      tx.audit({ action: 'package-claim.delete', target: targetOf(id), detail: { ecosystem, pattern } })
      return shownClaim(row)
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

function impossible(pointer: string, detail: string): Fault {
  return new Fault('unprocessable', 'These names cannot be claimed or released; errors says why.', {
    errors: [{ pointer, detail }],
  })
}

function shownClaim({ registryId, createdAt, ...row }: claims.ClaimRow): PackageClaim {
  return { ...row, packageManagerConfigId: registryId, createdAt: createdAt.toISOString() }
}

function shownName({ registryId, url, seenAt, ...row }: names.NameRow): RememberedName {
  // The origin alone: an address can carry a token in its path.
  return { ...row, packageManagerConfigId: registryId, registry: new URL(url).origin, seenAt: seenAt.toISOString() }
}
