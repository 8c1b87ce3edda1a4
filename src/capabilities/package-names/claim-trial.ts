import type { Actor } from '../../kernel/access/actor.ts'
import type { Api } from '../../kernel/contract/api.ts'
import type { Database, Queryable } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { daysBefore } from '../../kernel/time/whole-days.ts'
import { type AskedName, namesAskedByWhom, usualTrialDays } from '../firewall-activity/public.ts'
import { type Registry, registriesOf } from '../package-managers/public.ts'
import { seesPackageClients } from '../repositories/public.ts'
import { alreadyClaimed, checkedClaim } from './checked-claim.ts'
import * as claimStore from './claim-store.ts'
import { type ClaimTrialBody, type PackageClaimTrial, tryPackageClaims } from './claim-trial-contract.ts'
import { type ClaimedEcosystem, claimedEcosystems, type NewClaim } from './contract.ts'
import * as nameStore from './name-store.ts'
import { nameKey, strongestClaim } from './pattern.ts'

type Claim = claimStore.ClaimFields
type Change = PackageClaimTrial['changes'][number]
type Ruling = Pick<Change, 'askedOf' | 'packageManagerConfigId'>
type Judged = AskedName & { ecosystem: ClaimedEcosystem; known: Ruling; tried: Ruling }

const mostNames = 5_000
const mostChanges = 200
const all = { after: 0, size: 100_000 }

export function claimTrialRoutes(api: Api, { db, clock }: { db: Database; clock: Clock }): void {
  api.serve(tryPackageClaims, ({ actor, body }) => attempt(actor, body))

  async function attempt(actor: Actor, { create = [], deleteIds = [], days = usualTrialDays }: ClaimTrialBody) {
    const reader = db.as(actor)
    const since = daysBefore(clock.now(), days)
    const [before, registries, asked, seesPeople] = await Promise.all([
      claimStore.list(reader, all),
      registriesOf(reader),
      namesAskedByWhom(reader, { ecosystems: claimedEcosystems, since, limit: mostNames + 1 }),
      seesPackageClients(reader, actor),
    ])
    const gone = before.filter(({ id }) => deleteIds.includes(id))
    const left = before.filter((each) => !gone.includes(each))
    const drafts = draftsOf(create, registries, left)
    const judged = asked.slice(0, mostNames).map((each): Judged => {
      const ecosystem = each.ecosystem as ClaimedEcosystem
      const ruling = (claims: readonly Claim[]) => rulingOn(claims, registries, ecosystem, each.name)
      return { ...each, ecosystem, known: ruling(before), tried: ruling([...left, ...drafts]) }
    })
    const changed = judged.filter(isOtherwise).slice(0, mostChanges)
    const seen = await seenIn(reader, changed)
    return {
      since: since.toISOString(),
      sentences: [
        ...drafts.map((each) => sentenceOf(each, registries)),
        ...gone.map((each) => `No longer: ${sentenceOf(each, registries)}`),
      ],
      names: judged.length,
      truncated: asked.length > mostNames,
      refusedBefore: judged.filter(({ known }) => known.askedOf === 'nobody').length,
      refusedAfter: judged.filter(({ tried }) => tried.askedOf === 'nobody').length,
      changes: changed.map((each) => shownChange(each, seen, seesPeople)),
    }
  }
}

/** As they would be stored one after the other. */
function draftsOf(create: readonly NewClaim[], registries: readonly Registry[], standing: readonly Claim[]): Claim[] {
  const drafts: Claim[] = []
  for (const [at, sent] of create.entries()) {
    const draft = checkedClaim(sent, registries, `/create/${at}`)
    const isSame = (each: Claim) => each.ecosystem === draft.ecosystem && each.pattern === draft.pattern
    if (standing.some(isSame) || drafts.some(isSame)) throw alreadyClaimed(draft)
    drafts.push(draft)
  }
  return drafts
}

/** The same decision as for a client. A registry that is gone is nobody. */
function rulingOn(
  claims: readonly Claim[],
  registries: readonly Registry[],
  ecosystem: ClaimedEcosystem,
  name: string,
): Ruling {
  const claim = strongestClaim(claims, ecosystem, nameKey(ecosystem, name))
  if (!claim) return { askedOf: 'unclaimed', packageManagerConfigId: null }
  const isThere = registries.some(({ id }) => id === claim.registryId)
  return isThere
    ? { askedOf: 'registry', packageManagerConfigId: claim.registryId }
    : { askedOf: 'nobody', packageManagerConfigId: null }
}

function isOtherwise({ known, tried }: Judged): boolean {
  return known.askedOf !== tried.askedOf || known.packageManagerConfigId !== tried.packageManagerConfigId
}

/** Names that registries of the deployment were seen to have, as `registry ecosystem key`. */
async function seenIn(db: Queryable, changed: readonly Judged[]): Promise<ReadonlySet<string>> {
  const owners = new Map((await nameStore.owners(db)).map((owner) => [owner.id, owner.registryId]))
  const seen = new Set<string>()
  for (const [ecosystem, own] of Map.groupBy(changed, (each) => each.ecosystem)) {
    const keys = own.map(({ name }) => nameKey(ecosystem, name))
    for (const { name, ownerId } of await nameStore.ownersOf(db, ecosystem, keys))
      seen.add(`${owners.get(ownerId)} ${ecosystem} ${name}`)
  }
  return seen
}

function shownChange(each: Judged, seen: ReadonlySet<string>, seesPeople: boolean): Change {
  const { ecosystem, name, known, tried, versions, clients, people, lastAt } = each
  return {
    ecosystem,
    name,
    askedOfBefore: known.askedOf,
    ...tried,
    seenThere: seen.has(`${tried.packageManagerConfigId} ${ecosystem} ${nameKey(ecosystem, name)}`),
    versions,
    clients,
    people: seesPeople ? people : [],
    lastAskedAt: lastAt.toISOString(),
  }
}

function sentenceOf({ ecosystem, pattern, registryId }: Claim, registries: readonly Registry[]): string {
  const registry = registries.find(({ id }) => id === registryId)
  // The origin alone: an address can carry a token in its path.
  const whom = registry ? `${new URL(registry.url).origin} alone` : 'nobody'
  return `Ask ${whom} for ${pattern} of ${ecosystem}.`
}
