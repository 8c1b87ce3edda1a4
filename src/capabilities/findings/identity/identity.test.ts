import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { sentNames } from '../../../formats/sarif/identity/content.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import { permitted } from '../../../kernel/access/permission.ts'
import { recount } from '../counters/recount.ts'
import { findingsPath, searchAll } from '../test-findings.ts'
import { notes } from './pairing.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

/** A result as ESLint writes it: a line and a message, and no code. With `code`, as `gatehouse upload` sends it on. */
type Result = { line: number; code?: string; around?: string; snippet?: string; match?: number; lineHash?: string }
type Receipt = {
  files: {
    findings: { raised: number; reopened: number; fixed: number; inherited: number }
    problems: { code: string }[]
  }[]
}
type Where = { ref?: string; pullRequest?: number; tool?: string; commit?: string }

async function send(
  repository: string,
  results: Result[],
  { ref = 'main', pullRequest, tool = 'ESLint', commit }: Where = {},
) {
  const change = pullRequest ? { kind: 'SCAN_KIND_PULL_REQUEST', pullRequest, baseRef: 'main' } : {}
  return sendLogs({ repository, ref, ...change, ...(commit && { commit }) }, [
    { tool: { driver: { name: tool } }, results: results.map(toResult) },
  ])
}

/** One scan with a log for each run. */
async function sendLogs(scan: object, runs: object[]) {
  const form = new FormData()
  form.append('scan', JSON.stringify(scan))
  for (const [at, run] of runs.entries()) form.append(`${at}.sarif`, JSON.stringify({ version: '2.1.0', runs: [run] }))
  const path = `/api/scans/v1/deployments/${gatehouse.owner.deploymentId}/scans`
  const headers = { authorization: `Bearer ${gatehouse.owner.token}` }
  const answer = await fetch(gatehouse.url + path, { method: 'POST', headers, body: form })
  const receipt = (await answer.json()) as Receipt
  assert.equal(answer.status, 200, JSON.stringify(receipt))
  return receipt
}

/** What Semgrep calls a match: a hash of the pattern, the rule and the file, and a number that counts equal ones. */
const matchId = (number: number) => `${'5e'.repeat(64)}_${number}`

function toResult({ line, code, around = 'x', snippet, match, lineHash }: Result) {
  const region = { startLine: line, ...(snippet && { snippet: { text: snippet } }) }
  return {
    ruleId: 'no-eval',
    message: { text: 'eval can be harmful.' },
    locations: [{ physicalLocation: { artifactLocation: { uri: 'src/a.js' }, region } }],
    ...(code && { partialFingerprints: { [sentNames.code]: code, [sentNames.around]: around } }),
    ...(lineHash && { partialFingerprints: { primaryLocationLineHash: lineHash } }),
    ...(match !== undefined && { fingerprints: { 'matchBasedId/v1': matchId(match) } }),
  }
}

const semgrep = { tool: 'Semgrep OSS' }
/** Not taken for a repetition of an earlier upload. */
const again = { ...semgrep, commit: 'c'.repeat(40) }

/** Equal matches as Semgrep and Opengrep write them, in the order of the file. */
function matches(...found: [line: number, code: string][]): Result[] {
  return found.map(([line, snippet], match) => ({ line, snippet, match }))
}

/** The fingerprints that release 0.2 gave to these matches. */
const formerNames = [
  '569e7eafbd9e49860118ce7952e22d47:0',
  '146aa2ef63b2df381a45a5d522352b19:0',
  '38886c5342be9159df9d3d3b0b5c488c:0',
]

/** The fingerprints that release 0.2 gave to the first two equal lines. */
const formerLineNames = ['d13316e89479a1da8acc72337e0a9841:0', '660631f7cfc770874a46dd758a7285f9:0']

/** As if release 0.2 had stored it, which had the number in the fingerprint and took it for the code. */
async function asStoredBefore(repository: string): Promise<void> {
  for (const [number, name] of formerNames.entries()) {
    const rename = sql`update finding f set fingerprint = ${name}, context = ''
      where f.deployment_id = ${actorOf().deploymentId} and f.fingerprint like ${`%:${number}`}
        and f.fingerprint <> all(${formerNames}::text[])
        and f.repository_id = (select r.id from repository r where r.deployment_id = f.deployment_id and r.name = ${repository})`
    await gatehouse.db.transaction(actorOf(), (tx) => tx.query(rename))
  }
}

async function namesOf(repository: string): Promise<string[]> {
  const found = (await searchAll(gatehouse, { filter: { repositories: [repository] } })) as unknown as {
    fingerprint: string
  }[]
  return found.map((one) => one.fingerprint)
}

function actorOf(): Actor {
  return {
    deploymentId: gatehouse.owner.deploymentId,
    personId: 1,
    tokenId: 0,
    role: 'owner',
    permissions: permitted('owner', undefined),
    requestId: 'test',
  }
}

type Shown = { id: string; ref: string; triageState: string; startLine: number }

/** `line STATE`, by line. */
async function standing(repository: string, ref = 'main'): Promise<string[]> {
  const found = (await searchAll(gatehouse, { filter: { repositories: [repository] } })) as unknown as (Shown & {
    locations?: { startLine: number }[]
  })[]
  return found
    .filter((one) => one.ref === ref)
    .map((one) => `${lineOf(one)} ${one.triageState.replace('TRIAGE_STATE_', '')}`)
    .sort()
}
const lineOf = (one: { startLine?: number; locations?: { startLine: number }[] }) =>
  one.startLine ?? one.locations?.[0]?.startLine

function ignoreAt(repository: string, line: number, ref = 'main'): Promise<string> {
  const decision = { triageState: 'TRIAGE_STATE_IGNORED', triageReason: 'TRIAGE_REASON_FALSE_POSITIVE' }
  return decideAt(repository, line, ref, decision)
}

/** About that branch alone: what is new elsewhere is to choose between decisions that differ. */
async function decideAt(repository: string, line: number, ref: string, decision: object): Promise<string> {
  const body = { ...decision, thisBranchOnly: true }
  const found = (await searchAll(gatehouse, { filter: { repositories: [repository] } })) as unknown as Shown[]
  const one = found.find((each) => each.ref === ref && lineOf(each) === line)!
  const answer = await gatehouse.call('POST', `${findingsPath()}/${one.id}`, { body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return one.id
}

test('without code: one more above an ignored one reopens it, and says why; nothing is hidden when the harmless one goes', async () => {
  await send('id/eslint', [{ line: 3 }])
  const id = await ignoreAt('id/eslint', 3)
  await send('id/eslint', [{ line: 8 }])
  assert.deepEqual(await standing('id/eslint'), ['8 IGNORED'], 'a move keeps it')
  const receipt = await send('id/eslint', [{ line: 1 }, { line: 9 }])
  assert.deepEqual(await standing('id/eslint'), ['1 REOPENED', '9 OPEN'])
  assert.deepEqual([receipt.files[0]!.findings.raised, receipt.files[0]!.findings.reopened], [1, 1])
  const history = await gatehouse.call('GET', `${findingsPath()}/${id}/history`)
  assert.ok(JSON.stringify(history.body).includes(notes.noCode), JSON.stringify(history.body))
  await send('id/eslint', [{ line: 1 }])
  const left = (await standing('id/eslint')).filter((one) => !one.endsWith('FIXED'))
  assert.equal(left.length, 1)
  assert.match(left[0]!, /OPEN/)
})

test('without code: of an open and an ignored one the open one stays', async () => {
  await send('id/less', [{ line: 1 }, { line: 5 }])
  await ignoreAt('id/less', 1)
  await send('id/less', [{ line: 1 }, { line: 5 }])
  assert.deepEqual(await standing('id/less'), ['1 IGNORED', '5 OPEN'])
  await send('id/less', [{ line: 2 }])
  assert.deepEqual(await standing('id/less'), ['1 IGNORED', '2 OPEN'])
  await send('id/less', [{ line: 2 }, { line: 7 }])
  assert.deepEqual(await standing('id/less'), ['2 REOPENED', '7 OPEN'], 'what was gone makes no room')
})

test('with code a decision stays with it, wherever it is; other code is a new finding', async () => {
  await send('id/code', [{ line: 3, code: 'harmless' }])
  await ignoreAt('id/code', 3)
  await send('id/code', [
    { line: 1, code: 'remote' },
    { line: 4, code: 'harmless' },
  ])
  assert.deepEqual(await standing('id/code'), ['1 OPEN', '4 IGNORED'])
  await send('id/code', [{ line: 1, code: 'remote' }])
  assert.deepEqual(await standing('id/code'), ['1 OPEN', '4 IGNORED'])
  await send('id/code', [
    { line: 2, code: 'harmless' },
    { line: 9, code: 'third' },
  ])
  assert.deepEqual(await standing('id/code'), ['1 FIXED', '2 IGNORED', '9 OPEN'])
})

test('the first log with code fills it in and keeps what was decided; from then on it is gone by', async () => {
  await send('id/upgrade', [{ line: 3 }, { line: 6 }])
  await ignoreAt('id/upgrade', 3)
  await send('id/upgrade', [
    { line: 4, code: 'harmless' },
    { line: 7, code: 'other' },
  ])
  assert.deepEqual(await standing('id/upgrade'), ['4 IGNORED', '7 OPEN'])
  await send('id/upgrade', [
    { line: 4, code: 'remote' },
    { line: 7, code: 'other' },
  ])
  assert.deepEqual(await standing('id/upgrade'), ['4 IGNORED', '4 OPEN', '7 OPEN'])
})

test('two logs of one tool in one upload that tell the same tell it once', async () => {
  const run = (...results: Result[]) => ({ tool: { driver: { name: 'ESLint' } }, results: results.map(toResult) })
  const runs = [
    run({ line: 1, code: 'a' }, { line: 2, code: 'b' }),
    run({ line: 2, code: 'b' }),
    run({ line: 5, code: 'c' }),
  ]
  await sendLogs({ repository: 'id/parts', ref: 'main' }, runs)
  assert.deepEqual(await standing('id/parts'), ['1 OPEN', '2 OPEN', '5 OPEN'])
})

test('across refs a decision goes with the code; without code from a branch only, and only for as many', async () => {
  const pull = { ref: 'feature', pullRequest: 7 }
  // Without a scan of their base pull requests have no findings.
  for (const name of ['pull', 'known', 'snippet']) await send(`id/${name}`, [])
  await send('id/pull', [{ line: 3 }], pull)
  await ignoreAt('id/pull', 3, 'feature')
  await send('id/pull', [{ line: 3 }])
  assert.deepEqual(await standing('id/pull'), ['3 OPEN'], 'the pull request may have had other code')

  await send('id/branch', [{ line: 3 }])
  await ignoreAt('id/branch', 3)
  await send('id/branch', [{ line: 9 }], { ref: 'feature' })
  await send('id/branch', [{ line: 9 }, { line: 12 }], { ref: 'second' })
  assert.deepEqual(await standing('id/branch', 'feature'), ['9 IGNORED'])
  assert.deepEqual(await standing('id/branch', 'second'), ['12 OPEN', '9 OPEN'])

  await send('id/known', [{ line: 3, code: 'harmless' }], pull)
  await ignoreAt('id/known', 3, 'feature')
  await send('id/known', [
    { line: 3, code: 'remote' },
    { line: 5, code: 'harmless' },
  ])
  assert.deepEqual(await standing('id/known'), ['3 OPEN', '5 IGNORED'])
  await send(
    'id/known',
    [
      { line: 3, code: 'harmless' },
      { line: 5, code: 'harmless', around: 'y' },
    ],
    { ref: 'dev' },
  )
  assert.deepEqual(await standing('id/known', 'dev'), ['3 IGNORED', '5 OPEN'])

  await send(
    'id/snippet',
    [
      { line: 3, snippet: 'eval(x)' },
      { line: 5, snippet: 'eval(x)' },
    ],
    pull,
  )
  await ignoreAt('id/snippet', 3, 'feature')
  await send('id/snippet', [{ line: 3, snippet: 'eval(x)' }])
  assert.deepEqual(await standing('id/snippet'), ['3 OPEN'], 'one of the two is not ignored there')
})

const alike: [what: string, result: Result][] = [
  ['with code', { line: 3, code: 'harmless' }],
  ['with code that nobody knows the surroundings of', { line: 3, snippet: 'eval(x)' }],
  ['without code', { line: 3 }],
]
for (const [at, [what, result]] of alike.entries()) {
  test(`what a person decided last is taken over, on whichever branch: ${what}`, async () => {
    const repository = `id/last-${at}`
    for (const ref of ['main', 'first', 'second']) await send(repository, [result], { ref })
    for (const ref of ['main', 'first', 'second']) await ignoreAt(repository, 3, ref)
    const appearsAs = async (ref: string) => {
      await send(repository, [result], { ref })
      return (await standing(repository, ref)).join()
    }
    assert.equal(await appearsAs('third'), '3 IGNORED')
    await decideAt(repository, 3, 'first', { triageState: 'TRIAGE_STATE_OPEN' })
    assert.equal(await appearsAs('fourth'), '3 OPEN')
    await decideAt(repository, 3, 'second', { triageState: 'TRIAGE_STATE_PROVISIONALLY_IGNORED' })
    assert.equal(await appearsAs('fifth'), '3 PROVISIONALLY_IGNORED')
    await decideAt(repository, 3, 'third', { triageState: 'TRIAGE_STATE_REVIEWING' })
    assert.equal(await appearsAs('sixth'), '3 OPEN')
  })

  test(`what a person decided last counts when its branch has ended, as of when it was decided: ${what}`, async () => {
    const repository = `id/ended-${at}`
    for (const ref of ['main', 'first', 'second']) await send(repository, [result], { ref })
    await send(repository, [])
    const reopenOn = async (ref: string) => decideAt(repository, 3, ref, { triageState: 'TRIAGE_STATE_OPEN' })
    const end = async (ref: string) => {
      const path = `/api/scans/v1/deployments/${gatehouse.owner.deploymentId}/ended-branches`
      const { body } = await gatehouse.call('POST', path, { body: { repository, ref } })
      assert.deepEqual(body, { endedFindings: 1 })
      assert.equal((await standing(repository, ref)).join(), '3 ENDED')
    }
    const appearsAs = async (ref: string) => {
      await send(repository, [result], { ref })
      return (await standing(repository, ref)).join()
    }
    for (const ref of ['first', 'second']) await ignoreAt(repository, 3, ref)
    await reopenOn('second')
    await end('second')
    assert.equal(await appearsAs('third'), '3 OPEN')
    await reopenOn('third')
    await ignoreAt(repository, 3, 'first')
    await end('third')
    assert.equal(await appearsAs('fourth'), '3 IGNORED')
  })
}

test('a receipt says where a tool sends no code', async () => {
  const problems = async (results: Result[]) =>
    (await send('id/receipt', results)).files[0]!.problems.map((one) => one.code)
  assert.deepEqual(await problems([{ line: 1 }]), ['no-code'])
  assert.deepEqual(await problems([{ line: 1, code: 'a' }]), [])
  assert.deepEqual(await problems([{ line: 1, snippet: 'eval(x)' }]), [])
})

test('a secret that the tool hides is not known again by what stands in its place', async () => {
  const gitleaks = { tool: 'gitleaks' }
  const hidden = [{ line: 3, snippet: 'REDACTED' }]
  const { files } = await send('id/hidden', hidden, gitleaks)
  assert.deepEqual(
    files[0]!.problems.map((one) => one.code),
    ['hidden-secrets'],
  )
  await ignoreAt('id/hidden', 3)
  await send('id/hidden', hidden, { ...gitleaks, commit: '1111111' })
  assert.deepEqual(await standing('id/hidden'), ['3 IGNORED'])
  await send('id/hidden', [], gitleaks)
  await send('id/hidden', hidden, gitleaks)
  assert.deepEqual(await standing('id/hidden'), ['3 REOPENED'], 'it may be another one')
})

test('a decision stays with its code where the tool counts equal matches in the order of the file', async () => {
  await send('id/match', matches([3, "eval('1+1')"]), semgrep)
  await ignoreAt('id/match', 3)
  await send('id/match', matches([1, 'eval(req.body.code)'], [4, "eval('1+1')"]), semgrep)
  assert.deepEqual(await standing('id/match'), ['1 OPEN', '4 IGNORED'])
  await send('id/match', matches([2, 'eval(req.body.code)']), semgrep)
  assert.deepEqual(await standing('id/match'), ['2 OPEN', '4 IGNORED'])

  await send('id/replaced', matches([3, "eval('1+1')"]), semgrep)
  await ignoreAt('id/replaced', 3)
  await send('id/replaced', matches([3, 'eval(req.body.code)']), semgrep)
  assert.deepEqual(await standing('id/replaced'), ['3 IGNORED', '3 OPEN'], 'other code is another finding')
})

test('what was stored with the number of a match is recognised, and keeps what was decided', async () => {
  const log = matches([3, "eval('1+1')"], [6, 'eval(input)'], [9, 'eval(config)'])
  await send('id/before', log, semgrep)
  const ids = [await ignoreAt('id/before', 3), await ignoreAt('id/before', 9)]
  await asStoredBefore('id/before')
  assert.deepEqual((await namesOf('id/before')).sort(), [...formerNames].sort())
  const receipt = await send('id/before', log, again)
  const { raised, reopened, fixed } = receipt.files[0]!.findings
  assert.deepEqual([raised, reopened, fixed], [0, 0, 0])
  assert.deepEqual(await standing('id/before'), ['3 IGNORED', '6 OPEN', '9 IGNORED'])
  assert.equal(new Set((await namesOf('id/before')).map((name) => name.slice(0, 32))).size, 1)
  assert.ok(!(await namesOf('id/before')).some((name) => formerNames.includes(name)))
  await send('id/before', matches([1, 'eval(req.body.code)'], ...shifted(log)), semgrep)
  assert.deepEqual(await standing('id/before'), ['1 OPEN', '10 IGNORED', '4 IGNORED', '7 OPEN'])
  const found = (await searchAll(gatehouse, { filter: { repositories: ['id/before'] } })) as unknown as Shown[]
  assert.deepEqual(
    found
      .filter((one) => one.triageState === 'TRIAGE_STATE_IGNORED')
      .map((one) => one.id)
      .sort(),
    ids.sort(),
  )
})

test('what was stored with the number of a match keeps its decision to its code, also where the first log is another', async () => {
  await send('id/edited', matches([3, "eval('1+1')"]), semgrep)
  await ignoreAt('id/edited', 3)
  await asStoredBefore('id/edited')
  await send('id/edited', matches([1, 'eval(req.body.code)'], [4, "eval('1+1')"]), semgrep)
  assert.deepEqual(await standing('id/edited'), ['1 OPEN', '4 IGNORED'])
})

test('branches and pull requests are compared with what other refs have stored with the number of a match', async () => {
  const log = matches([3, "eval('1+1')"], [6, 'eval(input)'])
  await send('id/refs', log, semgrep)
  await send('id/refs', log, { ...semgrep, ref: 'old' })
  await ignoreAt('id/refs', 3)
  await asStoredBefore('id/refs')
  const receipt = await send('id/refs', log, { ...semgrep, ref: 'feature', pullRequest: 8 })
  assert.deepEqual([receipt.files[0]!.findings.raised, receipt.files[0]!.findings.inherited], [0, 2])
  await send('id/refs', log, { ...semgrep, ref: 'new' })
  assert.deepEqual(await standing('id/refs', 'new'), ['3 IGNORED', '6 OPEN'])
  await send('id/refs', matches([3, 'eval(input)']), { ...semgrep, ref: 'other' })
  assert.deepEqual(await standing('id/refs', 'other'), ['3 OPEN'])
  await send('id/refs', log, again)
  assert.deepEqual(await standing('id/refs'), ['3 IGNORED', '6 OPEN'])
})

const codeql = { tool: 'CodeQL' }
/** Lines that begin equal code, as CodeQL writes them: the number counts them in the order of the file. */
const equalLines = (...lines: number[]): Result[] =>
  lines.map((line, at) => ({ line, lineHash: `39fa2ee980eb94b0:${at + 1}` }))

test('of equal lines that the tool counts in the order of the file none takes over the decision about another', async () => {
  await send('id/lines', equalLines(3), codeql)
  await ignoreAt('id/lines', 3)
  await send('id/lines', equalLines(8), codeql)
  assert.deepEqual(await standing('id/lines'), ['8 IGNORED'], 'a move keeps it')
  await send('id/lines', equalLines(1, 9), codeql)
  assert.deepEqual(await standing('id/lines'), ['1 REOPENED', '9 OPEN'])

  await send('id/fewer', equalLines(3, 9), codeql)
  await ignoreAt('id/fewer', 3)
  await send('id/fewer', equalLines(9), codeql)
  assert.deepEqual(await standing('id/fewer'), ['3 IGNORED', '9 OPEN'], 'the one that is not ignored stays')
})

test('what was stored with the number of its line is recognised, on other refs too, and keeps what was decided', async () => {
  const log = equalLines(3, 9)
  await send('id/numbered', log, codeql)
  await send('id/numbered', log, { ...codeql, ref: 'old' })
  await ignoreAt('id/numbered', 3)
  for (const [number, name] of formerLineNames.entries()) {
    const rename = sql`update finding f set fingerprint = ${name}
      where f.deployment_id = ${actorOf().deploymentId} and f.fingerprint like ${`%:${number}`}
        and f.fingerprint <> all(${formerLineNames}::text[])
        and f.repository_id = (select r.id from repository r where r.deployment_id = f.deployment_id and r.name = 'id/numbered')`
    await gatehouse.db.transaction(actorOf(), (tx) => tx.query(rename))
  }
  const pull = await send('id/numbered', log, { ...codeql, ref: 'feature', pullRequest: 9 })
  assert.deepEqual([pull.files[0]!.findings.raised, pull.files[0]!.findings.inherited], [0, 2])
  const receipt = await send('id/numbered', log, { ...codeql, commit: 'c'.repeat(40) })
  const { raised, reopened, fixed } = receipt.files[0]!.findings
  assert.deepEqual([raised, reopened, fixed], [0, 0, 0])
  assert.deepEqual(await standing('id/numbered'), ['3 IGNORED', '9 OPEN'])
  await send('id/numbered', equalLines(1, 4, 10), codeql)
  assert.deepEqual(await standing('id/numbered'), ['1 REOPENED', '10 OPEN', '4 OPEN'])
})

function shifted(log: readonly Result[]): [number, string][] {
  return log.map(({ line, snippet }) => [line + 1, snippet!])
}

test('the counters are right after all of this', async () => {
  const actor = actorOf()
  assert.deepEqual(await recount(gatehouse.db.as(actor)), [])
  const [row] = await gatehouse.db.as(actor).query<{ count: number }>(sql`select count(*)::integer as count from finding
    where deployment_id = ${actor.deploymentId} and context = ''`)
  assert.ok(row!.count > 0)
})
