import { listAdvisories } from '../../capabilities/firewall/advisories/published-advisories.ts'
import { listRecords, type NamedRecord, recordsNaming } from '../../capabilities/vulnerabilities/public.ts'
import type { EcosystemId } from '../../ecosystems/ecosystem.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { OsvQuery, OsvVulnerabilities, Vulnerability } from './contract.ts'
import { maliciousRecord, vulnerabilityRecord } from './osv-record.ts'
import { type ReadQuery, readQuery } from './queries.ts'

export type OsvParts = {
  db: Database
  /** Ids of advisories about malicious packages that name a version; without one, any. */
  advisoriesNaming(ecosystem: EcosystemId, name: string, version: string | undefined): readonly string[]
}

const recordsAPage = 100
const idsAPage = 1_000

/** Advisories are the same for all deployments, so they are read as none of them: nothing of any tenant is in reach. */
const nobody = { deploymentId: 0 }

/** What the feeds say about packages, in the words of OSV. */
export function createOsv({ db, advisoriesNaming }: OsvParts) {
  const reading = db.as(nobody)

  async function query(sent: OsvQuery): Promise<OsvVulnerabilities> {
    const [page] = await pages([sent], recordsAPage)
    const { found, rest } = page!
    if (found.length === 0) return {}
    const records = await describe(found.map(({ externalId }) => externalId))
    return { vulns: records, ...rest }
  }

  async function batch(queries: readonly OsvQuery[]) {
    const results = (await pages(queries, idsAPage)).map(({ found, rest }) => {
      if (found.length === 0) return {}
      return {
        vulns: found.map(({ externalId, modifiedAt }) => ({ id: externalId, modified: modifiedAt.toISOString() })),
        ...rest,
      }
    })
    return { results }
  }

  async function get(id: string): Promise<Vulnerability> {
    const [record] = await describe([id])
    if (!record) throw new Fault('not_found', 'Bug not found.')
    return record
  }

  /** Ordered by id; a record that is both vulnerable and malicious is in the second table alone. */
  async function describe(ids: readonly string[]): Promise<Vulnerability[]> {
    const vulnerable = (await listRecords(reading, ids)).map(vulnerabilityRecord)
    const malicious = (await listAdvisories(reading, ids)).map(maliciousRecord)
    const byId = new Map([...vulnerable, ...malicious].map((record) => [record.id, record]))
    return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
  }

  /** The same question is asked once, however often a batch has it. */
  async function pages(queries: readonly OsvQuery[], size: number) {
    const read = queries.map(readQuery)
    const known = read.filter((one) => one !== 'elsewhere')
    const questions = [...new Map(known.map((one) => [keyOf(one), one])).values()]
    const named = await recordsFor(questions)
    return read.map((one) =>
      one === 'elsewhere' ? { found: [], rest: {} } : cut(named.get(keyOf(one))!, one.after, size),
    )
  }

  async function recordsFor(questions: readonly ReadQuery[]): Promise<Map<string, NamedRecord[]>> {
    const vulnerable = await recordsNaming(reading, questions)
    const malicious = questions.map(({ ecosystem, name, version }) => advisoriesNaming(ecosystem, name, version))
    const changed = new Map(
      (await listAdvisories(reading, [...new Set(malicious.flat())])).map(({ id, modifiedAt }) => [id, modifiedAt]),
    )
    const all = questions.map((question, at) => {
      const known = malicious[at]!.flatMap((id) => {
        const modifiedAt = changed.get(id)
        return modifiedAt ? [{ externalId: id, modifiedAt }] : []
      })
      const byId = new Map([...vulnerable[at]!, ...known].map((record) => [record.externalId, record]))
      return [keyOf(question), [...byId.values()].sort((a, b) => (a.externalId < b.externalId ? -1 : 1))] as const
    })
    return new Map(all)
  }

  return { query, batch, get }
}

const keyOf = ({ ecosystem, name, version = '' }: ReadQuery) => `${ecosystem}\n${name}\n${version}`

function cut(records: readonly NamedRecord[], after: string, size: number) {
  const rest = records.filter(({ externalId }) => externalId > after)
  const found = rest.slice(0, size)
  return { found, rest: rest.length > size ? { next_page_token: found.at(-1)!.externalId } : {} }
}
