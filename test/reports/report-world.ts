import assert from 'node:assert/strict'
import sql from 'sql-template-tag'
import { type Observation, observe } from '../../src/capabilities/findings/ingest/observation.ts'
import { createReconcile } from '../../src/capabilities/findings/ingest/reconcile.ts'
import { category, severity } from '../../src/domain/finding-codes.ts'
import { systemActor } from '../../src/kernel/access/actor.ts'
import type { TestGatehouse } from '../gatehouse.ts'

export const reportsPath = '/api/reporting/1/reports'

/** A finding as the tables have it, and what its repository says: everything a slow recount needs. */
export type Raised = {
  id: number
  repository_id: number
  repository: string
  rule: string
  product: number
  category: number
  severity: number
  confidence: number
  reachability: number
  validity: number
  silenced: boolean
  /** Counted on another branch. */
  duplicate: boolean
  malicious: boolean
  state: number
  pull_request: number
  raised_at: Date
  publicly_exposed: boolean
  /** What its repository carries, and the names and slugs of the teams that have it and of all above them. */
  tags: readonly string[]
  teams: readonly string[]
}

/** A small company: repositories with tags, teams three levels deep, and what they have in common. */
export const repositories = [
  { name: 'shop/web', tags: ['pci', 'web'], publiclyExposed: true },
  { name: 'shop/api', tags: ['pci'], publiclyExposed: true },
  { name: 'shop/batch', tags: [], publiclyExposed: false },
  { name: 'bank/core', tags: ['pci'], publiclyExposed: false },
  { name: 'bank/app', tags: ['web'], publiclyExposed: true },
  { name: 'old/attic', tags: ['web'], publiclyExposed: true, archived: true },
  { name: 'lab/trial', tags: [], publiclyExposed: false },
]
export const teams = [
  { name: 'Commerce', repositories: ['shop/web'] },
  { name: 'Checkout', parent: 'Commerce', repositories: ['shop/api'] },
  { name: 'Payments', parent: 'Checkout', repositories: ['bank/core'] },
  { name: 'Laboratory', repositories: ['lab/trial', 'old/attic'] },
  { name: 'Nobody', repositories: [] },
]

export const rules = ['injection', 'traversal', 'quiet-style', 'weak-hash', 'leaked-key', 'old-library']
const firstDay = Date.parse('2026-03-01T00:00:00Z')
const dayMs = 86_400_000
const days = 75

const { reconcile } = createReconcile(async () => (_product, rule) => (rule.startsWith('quiet') ? 'silenced' : 'shown'))

export type World = { ids: Map<string, number>; teamIds: Map<string, string> }

export async function buildWorld(gatehouse: TestGatehouse): Promise<World> {
  // Otherwise everybody would see everything.
  const path = '/api/permissions/v2/deployments/1/teams'
  const everyone = (await gatehouse.call('GET', path)).body.teams[0].id
  await gatehouse.call('PATCH', `${path}/${everyone}/defaults`, { body: { isProjectDefault: false } })
  const ids = new Map<string, number>()
  for (const repository of repositories) {
    const made = await gatehouse.call('POST', '/api/repositories/v1/deployments/1/repositories', { body: repository })
    assert.equal(made.status, 200, JSON.stringify(made.body))
    ids.set(repository.name, made.body.repository.id)
  }
  const teamIds = new Map<string, string>()
  for (const { name, parent, repositories: held } of teams) {
    const team = { name, ...(parent && { parentTeamId: teamIds.get(parent) }) }
    const made = await gatehouse.call('POST', path, { body: { team } })
    assert.equal(made.status, 200, JSON.stringify(made.body))
    teamIds.set(name, made.body.team.id)
    await changeTeam(gatehouse, made.body.team.id, {
      repositories: held.map((one) => ({ repositoryId: String(ids.get(one)) })),
    })
  }
  for (const id of ids.values()) await observeRepository(gatehouse, id)
  return { ids, teamIds }
}

export async function changeTeam(gatehouse: TestGatehouse, id: string, changes: object): Promise<void> {
  const path = `/api/permissions/v2/deployments/1/teams/${id}`
  const answer = await gatehouse.call('PATCH', path, { body: { team: changes } })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

let seed = 20_260_301
/** A number below `most`, the same in every run. */
function pick(most: number): number {
  seed = (seed * 48_271) % 2_147_483_647
  return seed % most
}

/** Every day something comes and something goes, on the branch and in pull requests. */
export async function observeRepository(gatehouse: TestGatehouse, repositoryId: number): Promise<void> {
  const streams = [0, 1, 2].map((pullRequest) => ({ pullRequest, there: new Map<string, Observation>() }))
  for (let day = 0; day < days; day += 1 + pick(6)) {
    const { pullRequest, there } = streams[pick(streams.length)]!
    for (let i = pick(5); i > 0; i--) {
      const one = flaw(`${day}-${i}`)
      there.set(one.fingerprint, one)
    }
    for (const fingerprint of there.keys()) if (pick(7) === 0) there.delete(fingerprint)
    const at = new Date(firstDay + day * dayMs + pick(dayMs))
    const about = { ref: 'main', source: 'sarif:tester', scanId: 0, complete: true }
    await gatehouse.db.transaction(systemActor(1, 'test'), (tx) =>
      reconcile(tx, { ...about, repositoryId, pullRequest, at, observed: [...there.values()] }),
    )
  }
}

function flaw(fingerprint: string): Observation {
  const one = <T>(...values: T[]): T => values[pick(values.length)]!
  return observe({
    fingerprint,
    ruleId: one(...rules),
    title: 'A flaw',
    message: 'It is not safe.',
    product: one('code', 'code', 'sca', 'secrets', 'ai'),
    severity: one(...severity.words),
    category: one(...category.words),
    confidence: one('', 'low', 'high', 'high'),
    reachability: one('', 'unknown', 'unreachable', 'reachable'),
    validity: one('', 'unknown', 'invalid', 'valid'),
    suppressed: pick(12) === 0,
  })
}

export async function raisedFindings(gatehouse: TestGatehouse): Promise<Raised[]> {
  const rows = await gatehouse.db.as({ deploymentId: 1 }).query<Omit<Raised, 'tags' | 'teams'>>(sql`select f.id,
      f.repository_id, r.name as repository, rule.external_id as rule, f.product, f.category, f.severity, f.confidence,
      f.reachability, f.validity, f.silenced, f.duplicate, f.malicious, f.state, f.pull_request, f.raised_at, r.publicly_exposed
    from finding f join repository r on r.deployment_id = f.deployment_id and r.id = f.repository_id
    join finding_rule rule on rule.deployment_id = f.deployment_id and rule.id = f.rule_id
    where f.deployment_id = 1 order by f.raised_at desc, f.id desc`)
  return rows.map((row) => ({ ...row, tags: tagsOf(row.repository), teams: teamsOf(row.repository) }))
}

function tagsOf(repository: string): string[] {
  return repositories.find((one) => one.name === repository)?.tags ?? []
}

function teamsOf(repository: string): string[] {
  const own = teams.filter((team) => team.repositories.includes(repository)).map((team) => team.name)
  const above = (name: string): string[] => {
    const parent = teams.find((team) => team.name === name)?.parent
    return parent ? [name, ...above(parent)] : [name]
  }
  const all = own.flatMap(above)
  return [...all, ...all.map((name) => name.toLowerCase())]
}
