import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { realData, withoutRealData } from '../../../../test/real-data.ts'
import { readBytes } from '../../../formats/sarif/test-log.ts'
import { recount } from '../counters/recount.ts'

const folder = realData()
const skip = folder === undefined ? withoutRealData : false

let gatehouse: TestGatehouse
before(async () => {
  if (folder) gatehouse = await openGatehouse()
})
after(() => gatehouse?.close())

type Counts = { version?: string; results?: number }
type Log = { runs?: { results?: unknown[] }[] }

function logs(): [file: string, counts: Counts, bytes: Buffer][] {
  const text = readFileSync(join(folder!, 'expected', 'sarif-counts.json'), 'utf8')
  return Object.entries(JSON.parse(text).files as Record<string, Counts>).map(([file, counts]) => {
    const bytes = readFileSync(join(folder!, file))
    return [file, counts, file.endsWith('.gz') ? gunzipSync(bytes) : bytes]
  })
}

async function send(repository: string, bytes: Uint8Array<ArrayBuffer>, commit = '') {
  const url = `${gatehouse.url}/api/scans/v1/deployments/1/scans/raw?repository=${repository}&ref=main&path=log&commit=${commit}`
  const headers = { authorization: `Bearer ${gatehouse.owner.token}`, 'content-type': 'application/octet-stream' }
  const response = await fetch(url, { method: 'POST', headers, body: bytes })
  return { status: response.status, body: (await response.json()) as { files: { findings: Findings }[] } & Problems }
}
type Findings = { total: number; raised: number; reopened: number; fixed: number; complete: boolean }
type Problems = { errors?: { detail: string }[] }

async function stored(repository: string): Promise<string[]> {
  const rows = await gatehouse.db
    .as(gatehouse.owner)
    .query<{ fingerprint: string }>(sql`select f.fingerprint from repository r
    join finding f on f.deployment_id = r.deployment_id and f.repository_id = r.id
    where r.deployment_id = 1 and r.name = ${repository} order by f.fingerprint`)
  return rows.map((row) => row.fingerprint)
}

test('every log of SARIF 2.1.0 is taken with all it has', { skip }, async () => {
  let [sent, found] = [0, 0]
  for (const [file, { version }, bytes] of logs()) {
    const repository = `real/log-${++sent}`
    const answer = await send(repository, Buffer.from(bytes))
    if (version !== '2.1.0') {
      assert.equal(answer.status, 422, file)
      assert.ok(answer.body.errors![0]!.detail.length > 10, file)
      continue
    }
    assert.equal(answer.status, 200, `${file} ${JSON.stringify(answer.body).slice(0, 500)}`)
    const expected = readBytes(bytes).findings.filter((one) => one.baselineState !== 'absent').length
    const { findings } = answer.body.files[0]!
    assert.deepEqual(
      [findings.total, findings.raised, (await stored(repository)).length],
      [expected, expected, expected],
      file,
    )
    found += expected
  }
  assert.ok(found > 1000, `${found} findings`)
  assert.deepEqual(await recount(gatehouse.db.as(gatehouse.owner)), [])
})

test('a real log ten times, its results in another order each time, is one set of findings', { skip }, async () => {
  const whole = logs().filter(([, { version, results = 0 }]) => version === '2.1.0' && results >= 20 && results <= 400)
  assert.ok(whole.length >= 10, `${whole.length} logs`)
  for (const [at, [file, , bytes]] of whole.slice(0, 12).entries()) {
    const repository = `real/shuffled-${at}`
    await send(repository, Buffer.from(bytes), '1111110')
    const before = await stored(repository)
    for (let round = 1; round < 10; round++) {
      const log = JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, '')) as Log
      for (const run of log.runs ?? []) shuffle(run.results ?? [], round)
      const answer = await send(repository, Buffer.from(JSON.stringify(log)), `111111${round}`)
      const { raised, reopened, fixed } = answer.body.files[0]!.findings
      assert.deepEqual([raised, reopened, fixed], [0, 0, 0], `${file}, round ${round}`)
    }
    assert.deepEqual(await stored(repository), before, file)
  }
})

/** Fisher and Yates, with numbers that are the same every time (a linear congruential generator). */
function shuffle(list: unknown[], seed: number): void {
  let state = seed * 7_919
  for (let at = list.length - 1; at > 0; at--) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    const other = state % (at + 1)
    ;[list[at], list[other]] = [list[other], list[at]]
  }
}
