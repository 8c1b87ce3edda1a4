import { systemActor } from '../../kernel/access/actor.ts'
import type { Database, Queryable } from '../../kernel/database/database.ts'
import * as claimStore from './claim-store.ts'
import type { ClaimedEcosystem } from './contract.ts'
import * as nameStore from './name-store.ts'
import * as sumStore from './sum-store.ts'

export type Claim = claimStore.ClaimRow
export type Owner = nameStore.OwnerRow
export { nameKey, strongestClaim as claimOn } from './pattern.ts'

/** A registry whose entry reads so many names is not the registry of one company; what it has beyond them is told by order alone. */
const mostNames = 250_000
const all = { after: 0, size: 100_000 }

export type OwnedNames = { claims: Claim[]; owners: Owner[] }

/** What a deployment claims, and which registries were seen to have names. */
export async function ownedNames(db: Queryable): Promise<OwnedNames> {
  const [claims, owners] = await Promise.all([claimStore.list(db, all), nameStore.owners(db)])
  return { claims, owners }
}

/** By name, the number of its owner. */
export async function ownersOf(
  db: Queryable,
  ecosystem: ClaimedEcosystem,
  keys: string[],
): Promise<Map<string, number>> {
  const rows = await nameStore.ownersOf(db, ecosystem, keys)
  return new Map(rows.map(({ name, ownerId }) => [name, ownerId]))
}

/** A few names that a registry was seen to have. */
export function namesKnownOf(db: Queryable, ownerId: number): Promise<string[]> {
  return nameStore.newestOf(db, ownerId, 3)
}

export type SeenName = nameStore.SeenName

/** Whose the name is from now on; undefined where no more can be remembered. */
export function rememberName(db: Database, deploymentId: number, seen: SeenName): Promise<number | undefined> {
  return db.transaction(systemActor(deploymentId, 'package-names'), (tx) => nameStore.remember(tx, seen, mostNames))
}

export type ModuleFile = sumStore.ModuleFile

/** What a file of a Go module hashed to when it first came from its registry. */
export function firstSum(db: Database, deploymentId: number, file: ModuleFile): Promise<string | undefined> {
  return sumStore.find(db.as({ deploymentId }), file)
}

/** Remembers it; where another process was first, what that saw. */
export function rememberSum(db: Database, deploymentId: number, file: ModuleFile, sum: string): Promise<string> {
  return db.transaction(systemActor(deploymentId, 'package-names'), (tx) => sumStore.remember(tx, file, sum))
}

/** Names that belong to registries of the deployment, or that it claims one by one. */
export function privateNames(db: Queryable, ecosystem: string, limit: number): Promise<string[]> {
  return nameStore.privateNames(db, ecosystem, limit)
}
