import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import pg from 'pg'
import { often } from '../../../test/depth.ts'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { kindOf, pathFrom, type Source, type SourceKind, sourceKinds } from '../../domain/sources.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import { sarifLog } from '../findings/test-log.ts'
import { advisoryFolder, semver } from '../vulnerabilities/feeds/test-advisories.ts'
import { findingsOf } from '../vulnerabilities/test-vulnerabilities.ts'
import type { Origin } from './reading/scan-request.ts'
import { packageLock, packagesOf, upload } from './test-upload.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
  const feed = advisoryFolder()
  feed.put({ id: 'GHSA-a', affected: [{ name: 'a', ranges: [semver('0', '2.0.0')] }] })
  feed.put({ id: 'GHSA-b', affected: [{ name: 'b', ranges: [semver('0', '2.0.0')] }] })
  await gatehouse.vulnerabilities.feeds.sync(feed.place)
  feed.remove()
})
after(async () => {
  await gatehouse.close()
})

/** Sends files as clients of other products do, without their protocol. */
function send(repository: string, origin: Origin, files: Record<string, string>, ref = 'main') {
  const received = Object.entries(files).map(([name, content]) => {
    const held = Buffer.from(content)
    return { name, held, start: 0, bytes: held.length, digest: createHash('sha256').update(held).digest() }
  })
  const actor = systemActor(gatehouse.owner.deploymentId, 'protocol')
  return gatehouse.scans.upload(actor, { repository, ref, allowEmpty: true }, received, origin)
}

const lock = (packages: Record<string, string>) => ({ 'package-lock.json': packageLock(packages) })
const dtrack: Origin = { source: 'dependency-track' }
const linux: Origin = { source: 'github-snapshot:build/linux' }
const mac: Origin = { source: 'github-snapshot:build/mac' }
const ours: Origin = { source: 'gatehouse' }

type Step = [origin: Origin, packages: Record<string, string>]
const inventories: [what: string, steps: Step[], expected: string[]][] = [
  [
    'a source replaces its own files',
    [
      [ours, { a: '1.0.0' }],
      [ours, { b: '1.0.0' }],
    ],
    ['package-lock.json: b@1.0.0'],
  ],
  [
    'a later source wipes nothing that another one told',
    [
      [ours, { a: '1.0.0' }],
      [dtrack, { b: '1.0.0' }],
    ],
    ['@dependency-track/package-lock.json: b@1.0.0', 'package-lock.json: a@1.0.0'],
  ],
  [
    'nor does ours',
    [
      [dtrack, { b: '1.0.0' }],
      [ours, { a: '1.0.0' }],
    ],
    ['@dependency-track/package-lock.json: b@1.0.0', 'package-lock.json: a@1.0.0'],
  ],
  [
    'two correlators stand beside each other, and each replaces its own',
    [
      [linux, { a: '1.0.0' }],
      [mac, { b: '1.0.0' }],
      [linux, { c: '1.0.0' }],
    ],
    [
      '@github-snapshot:build/linux/package-lock.json: c@1.0.0',
      '@github-snapshot:build/mac/package-lock.json: b@1.0.0',
    ],
  ],
]

for (const [at, [what, steps, expected]] of inventories.entries()) {
  test(`inventory: ${what}`, async () => {
    const repository = `inventory/${at}`
    for (const [origin, packages] of steps) await send(repository, origin, lock(packages))
    assert.deepEqual(await packagesOf(gatehouse, repository), expected)
  })
}

test('inventory: a source is taken back by an upload that lists nothing', async () => {
  await send('inventory/back', ours, lock({ a: '1.0.0' }))
  await send('inventory/back', dtrack, lock({ b: '1.0.0' }))
  await send('inventory/back', dtrack, {})
  assert.deepEqual(await packagesOf(gatehouse, 'inventory/back'), ['package-lock.json: a@1.0.0'])
})

const counted: [what: string, steps: Step[], expected: string[]][] = [
  [
    'the lockfile has it, whoever spoke first',
    [
      [dtrack, { a: '1.0.0' }],
      [ours, { a: '1.0.0' }],
    ],
    ['package-lock.json'],
  ],
  [
    'or last',
    [
      [ours, { a: '1.0.0' }],
      [dtrack, { a: '1.0.0' }],
    ],
    ['package-lock.json'],
  ],
  [
    'a snapshot comes before a bill',
    [
      [dtrack, { a: '1.0.0' }],
      [linux, { a: '1.0.0' }],
    ],
    ['@github-snapshot:build/linux/package-lock.json'],
  ],
  [
    'two versions are two things',
    [
      [ours, { a: '1.0.0' }],
      [dtrack, { a: '1.1.0' }],
    ],
    ['@dependency-track/package-lock.json', 'package-lock.json'],
  ],
  [
    'each correlator counts',
    [
      [linux, { a: '1.0.0' }],
      [mac, { a: '1.0.0' }],
    ],
    ['@github-snapshot:build/linux/package-lock.json', '@github-snapshot:build/mac/package-lock.json'],
  ],
]

for (const [at, [what, steps, expected]] of counted.entries()) {
  test(`findings: ${what}`, async () => {
    const repository = `counted/${at}`
    for (const [origin, packages] of steps) await send(repository, origin, lock(packages))
    const open = (await findingsOf(gatehouse, repository)).filter((one) => one.triageState === 'TRIAGE_STATE_OPEN')
    assert.deepEqual(open.map((one) => one.locations[0].path).sort(), expected)
  })
}

/** What is not fixed, by its path, state and reason. */
async function standing(repository: string): Promise<string[]> {
  const all = await findingsOf(gatehouse, repository)
  return all
    .filter((one) => one.triageState !== 'TRIAGE_STATE_FIXED')
    .map((one) => `${one.locations[0].path} ${one.triageState.slice(13)} ${one.triageReason.slice(14)}`)
    .sort()
}

async function ignoreFirst(repository: string): Promise<void> {
  const { deploymentId } = gatehouse.owner
  const [first] = await findingsOf(gatehouse, repository)
  const body = { triageState: 'TRIAGE_STATE_IGNORED', triageReason: 'TRIAGE_REASON_NO_TIME' }
  const decided = await gatehouse.call('POST', `/api/findings/${deploymentId}/findings/${first.id}`, { body })
  assert.equal(decided.status, 200, JSON.stringify(decided.body))
}

test('findings: where the best source changes, the decision of a person goes along', async () => {
  const repository = 'moved/app'
  await send(repository, dtrack, lock({ a: '1.0.0' }))
  await ignoreFirst(repository)
  await send(repository, ours, lock({ a: '1.0.0' }))
  const inBoth = await standing(repository)
  assert.ok(inBoth.includes('package-lock.json IGNORED NO_TIME'), inBoth.join())
  assert.ok(!inBoth.some((one) => /OPEN/.test(one)), inBoth.join())
  await send(repository, ours, {})
  assert.ok(!(await standing(repository)).some((one) => /OPEN/.test(one)))
})

test('findings: what another source has besides is new, whatever was decided of what still stands', async () => {
  const repository = 'beside/app'
  await send(repository, dtrack, lock({ a: '1.1.0' }))
  await ignoreFirst(repository)
  await send(repository, ours, lock({ a: '1.0.0' }))
  assert.deepEqual(await standing(repository), [
    '@dependency-track/package-lock.json IGNORED NO_TIME',
    'package-lock.json OPEN UNSPECIFIED',
  ])
})

const speakers: readonly Source[] = [
  'gatehouse',
  'github-snapshot:build/linux',
  'github-snapshot:build/mac',
  'dependency-track',
  'semgrep',
  'defectdojo:1',
  'defectdojo:2',
]
const told = fc.record(
  {
    a: fc.constantFrom('1.0.0', '1.1.0', '2.0.0'),
    b: fc.constantFrom('1.0.0', '2.0.0'),
    c: fc.constant('1.0.0'),
  },
  { requiredKeys: [] },
)
const story = fc.array(fc.tuple(fc.constantFrom(...speakers), told), { minLength: 2, maxLength: 12 })

test('whatever sources tell, in whatever order: the inventory is all they say, and each finding stands with the best', async () => {
  let number = 0
  await fc.assert(
    fc.asyncProperty(story, async (steps) => {
      const repository = `model/${++number}`
      const said = new Map<Source, Record<string, string>>()
      for (const [source, packages] of steps) {
        said.set(source, packages)
        await send(repository, { source }, Object.keys(packages).length > 0 ? lock(packages) : {})
        assert.deepEqual((await packagesOf(gatehouse, repository)).sort(), listed(said))
        const all = await findingsOf(gatehouse, repository)
        // Nobody decides here: what is not fixed is open, or open again.
        const standing = all.filter((one) => one.triageState !== 'TRIAGE_STATE_FIXED')
        assert.deepEqual(standing.map((one) => `${one.locations[0].path} ${one.ruleId}`).sort(), believed(said))
      }
    }),
    { numRuns: often(6, 60) },
  )
})

/** Everything that each source told last, at its own path. */
function listed(said: ReadonlyMap<Source, Record<string, string>>): string[] {
  return entriesOf(said)
    .map(({ path, name, version }) => `${path}: ${name}@${version}`)
    .sort()
}

/** Of each version that an advisory is about, the files of the best kind of source that tells of it. */
function believed(said: ReadonlyMap<Source, Record<string, string>>): string[] {
  const entries = entriesOf(said)
  const rank = (source: Source) => sourceKinds.indexOf(kindOf(source) as SourceKind)
  return entries
    .filter(({ name, version }) => name !== 'c' && version !== '2.0.0')
    .filter((one) => {
      const same = entries.filter(({ name, version }) => name === one.name && version === one.version)
      return rank(one.source) === Math.min(...same.map(({ source }) => rank(source)))
    })
    .map(({ path, name }) => `${path} GHSA-${name}`)
    .sort()
}

function entriesOf(said: ReadonlyMap<Source, Record<string, string>>) {
  return [...said].flatMap(([source, packages]) =>
    Object.entries(packages).map(([name, version]) => ({
      source,
      path: pathFrom(source, 'package-lock.json'),
      name,
      version,
    })),
  )
}

const results = (...found: [rule: string, path: string][]) => ({
  'log.sarif': sarifLog({
    results: found.map(([rule, path]) => ({ rule, path, code: `${rule}()`, level: 'error' as const })),
  }),
})
const everything = results(['x', 'src/1.js'], ['y', 'src/1.js'], ['x', 'lib/2.js'])
const covering: [what: string, completeness: Origin['completeness'], left: string[]][] = [
  ['all, where nothing is said', undefined, []],
  ['nothing, where old findings are not to be closed', { closes: false }, ['x lib/2.js', 'x src/1.js', 'y src/1.js']],
  ['those of rules that ran', { closes: true, covers: ({ ruleId }) => ruleId === 'x' }, ['y src/1.js']],
  [
    'those in paths that were searched',
    { closes: true, covers: ({ path }) => path.startsWith('src/') },
    ['x lib/2.js'],
  ],
]

for (const [at, [what, completeness, left]] of covering.entries()) {
  test(`fixed: ${what}`, async () => {
    const repository = `covered/${at}`
    await send(repository, { source: 'semgrep' }, everything)
    // One that says nothing any more, but ran.
    await send(repository, { source: 'semgrep', ...(completeness && { completeness }) }, results())
    const { deploymentId } = gatehouse.owner
    const filter = { repositories: [repository] }
    const found = await gatehouse.call('POST', `/api/findings/${deploymentId}/findings/search`, { body: { filter } })
    const open = found.body.findings.filter((one: { triageState: string }) => one.triageState === 'TRIAGE_STATE_OPEN')
    const shown = open.map(
      (one: { ruleId: string; locations: { path: string }[] }) => `${one.ruleId} ${one.locations[0]!.path}`,
    )
    assert.deepEqual(shown.sort(), left)
  })
}

test('an upload that fails while it is written fails alone', async () => {
  const onlyRule = (rule: string): Origin => ({
    source: 'semgrep',
    completeness: { closes: true, covers: ({ ruleId }) => ruleId === rule },
  })
  await send('failing/app', { source: 'semgrep' }, everything)
  await send('failing/app', onlyRule('x'), results())
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  const admin = new pg.Client(gatehouse.connection)
  await admin.connect()
  process.on('unhandledRejection', note)
  try {
    await admin.query(`create function refuse_history() returns trigger language plpgsql as
      $$ begin raise exception 'no history today'; end $$;
      create trigger refuse_history before insert on finding_history execute function refuse_history()`)
    // One is back, which is written, while another is looked up.
    await assert.rejects(send('failing/app', onlyRule('x'), results(['x', 'src/1.js'])), /no history today/)
    await new Promise(setImmediate)
    assert.deepEqual(unhandled, [])
  } finally {
    process.off('unhandledRejection', note)
    await admin.query('drop function refuse_history cascade')
    await admin.end()
  }
})

test('a pull request is compared with what its own source told', async () => {
  await send('compared/app', dtrack, lock({ a: '1.0.0' }))
  const scan = { kind: 'SCAN_KIND_PULL_REQUEST', ref: 'change', pullRequest: 1, baseRef: 'main' }
  const sent = await upload(gatehouse, { repository: 'compared/app', ...scan }, lock({ a: '1.0.0' }))
  assert.deepEqual(sent.body.notCompared, ['dependencies'])
})

test('a repetition is one, whatever other sources sent in between', async () => {
  await send('repeated/app', ours, lock({ a: '1.0.0' }))
  await send('repeated/app', dtrack, lock({ a: '1.0.0' }))
  assert.equal((await send('repeated/app', ours, lock({ a: '1.0.0' }))).repeated, true)
  assert.equal((await send('repeated/app', dtrack, lock({ a: '1.0.0' }))).repeated, true)
})

test('our own uploads cannot stand where other sources do', async () => {
  const path = '@dependency-track/package-lock.json'
  const sent = await upload(gatehouse, { repository: 'foreign/app' }, { [path]: packageLock({ a: '1.0.0' }) })
  assert.equal(sent.status, 400)
  assert.match(JSON.stringify(sent.body.errors), /clients of other products/)
})

test('the page about sources names all of them, best first', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/sources.md'), 'utf8')
  const rows = [...page.matchAll(/^\| `([a-z-]+)[:`]/gm)].map(([, kind]) => kind)
  assert.deepEqual(rows, [...sourceKinds])
})
