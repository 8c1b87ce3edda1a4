import type { ReleaseDetails } from '../../../capabilities/firewall/verdicts/verdict.ts'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import { Fault } from '../../../kernel/contract/fault.ts'

/** What its registry says of a version; undefined where it does not have it; null where no registry of its kind is asked. */
export type PublicationOf = (
  actor: Actor,
  ecosystem: EcosystemId,
  name: string,
  version: string,
) => Promise<(ReleaseDetails & { licence?: string | undefined }) | undefined | null>

export type PublishedPackage = { details: ReleaseDetails; licence: string | undefined; isMissing: boolean }

type Asked = { ecosystem: EcosystemId; name: string; version: string }

const atOnce = 8
/** A slow registry makes an age unknown; it does not make the agent wait. */
const patienceMs = 10_000
const unknown: PublishedPackage = { details: {}, licence: undefined, isMissing: false }

/** In the order of the questions; what did not come within ten seconds is not known. */
export async function publications(
  publicationOf: PublicationOf,
  actor: Actor,
  packages: readonly Asked[],
): Promise<PublishedPackage[]> {
  const found: PublishedPackage[] = packages.map(() => unknown)
  let next = 0
  let over = false
  const work = async () => {
    while (next < packages.length && !over) {
      const index = next++
      const { ecosystem, name, version } = packages[index]!
      const answer = await publicationOf(actor, ecosystem, name, version).catch(asUnknown)
      if (!over && answer !== null) found[index] = read(answer)
    }
  }
  const timer = Promise.withResolvers<void>()
  const timeout = setTimeout(timer.resolve, patienceMs)
  await Promise.race([timer.promise, Promise.all(Array.from({ length: atOnce }, work))])
  over = true
  clearTimeout(timeout)
  return found
}

function read(answer: Awaited<ReturnType<PublicationOf>>): PublishedPackage {
  if (!answer) return { ...unknown, isMissing: true }
  const { licence, ...details } = answer
  return { details, licence, isMissing: false }
}

/** A registry that cannot be asked. */
function asUnknown(error: unknown): null {
  if (error instanceof Fault) return null
  throw error
}
