import type { EcosystemId } from '../../ecosystems/ecosystem.ts'
import { findOsvEcosystem, fromPurl } from '../../ecosystems/registry.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { OsvQuery } from './contract.ts'

export type ReadQuery = {
  ecosystem: EcosystemId
  /** Normalised. */
  name: string
  version: string | undefined
  /** The order key of the version; null without one. */
  key: Uint8Array | null
  /** Only ids after this one; '' for all. */
  after: string
}

/** 'elsewhere' for a package of an ecosystem that Gatehouse does not know: there is nothing to say about it. */
export function readQuery({
  version,
  commit,
  package: named,
  page_token: after = '',
}: OsvQuery): ReadQuery | 'elsewhere' {
  if (commit) throw invalid('commits are not looked up here')
  const { purl, name, ecosystem } = named ?? {}
  if (purl) {
    if (name || ecosystem) throw invalid('it has a purl and a name')
    const read = fromPurl(purl)
    if (!read) return 'elsewhere'
    if (read.version && version) throw invalid('it has a version, and so has its purl')
    return known(read.ecosystem, read.name, version || read.version, after)
  }
  if (!name || !ecosystem) throw invalid('it names no package and ecosystem')
  const found = findOsvEcosystem(ecosystem)
  return found ? known(found, name, version, after) : 'elsewhere'
}

function known(
  { id, normalizeName, orderKey }: NonNullable<ReturnType<typeof findOsvEcosystem>>,
  name: string,
  version: string | undefined,
  after: string,
): ReadQuery {
  return {
    ecosystem: id,
    name: normalizeName(name),
    version: version || undefined,
    key: version ? orderKey(version) : null,
    after,
  }
}

function invalid(why: string): Fault {
  return new Fault('malformed_request', `Invalid query: ${why}.`)
}
