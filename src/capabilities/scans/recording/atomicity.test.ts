import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { multipart, packageLock, packagesOf, scansPath, upload } from '../test-upload.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

/** Two files that belong together: every package in both has the same version. */
function pair(version: number) {
  const names = Array.from({ length: 50 }, (_, at) => [`package-${at}`, `${version}.0.0`])
  const lock = packageLock(Object.fromEntries(names))
  return { 'a/package-lock.json': lock, 'b/package-lock.json': lock }
}

async function versionsIn(repository: string): Promise<string[]> {
  const packages = await packagesOf(gatehouse, repository)
  assert.equal(packages.length, 100)
  return [...new Set(packages.map((text) => text.split('@').at(-1)!))]
}

test('uploads that come at once: the inventory is always that of one of them, whole', async () => {
  const repository = 'at-once/a'
  await upload(gatehouse, { repository, commit: '1000000' }, pair(0))
  let reading = true
  const seen = (async () => {
    const versions = new Set<string>()
    while (reading) {
      const now = await versionsIn(repository)
      assert.equal(now.length, 1, `a mixture: ${now}`)
      versions.add(now[0]!)
    }
    return versions
  })()
  const uploads = Array.from({ length: 12 }, (_, at) =>
    upload(gatehouse, { repository, commit: `20000${at + 10}` }, pair(at + 1)),
  )
  const answers = await Promise.all(uploads)
  reading = false
  await seen
  assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [200])
  const last = answers.map((answer) => answer.body.scan.id).sort((a, b) => b - a)[0]
  const latest = answers.findIndex((answer) => answer.body.scan.id === last)
  assert.deepEqual(await versionsIn(repository), [`${latest + 1}.0.0`])
})

test('the same new repository by many at once is created once', async () => {
  const uploads = Array.from({ length: 8 }, (_, at) =>
    upload(gatehouse, { repository: 'at-once/b', commit: `300000${at}` }, pair(at)),
  )
  const answers = await Promise.all(uploads)
  assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [200])
  assert.equal(answers.filter((answer) => answer.body.createdRepository).length, 1)
  assert.equal((await versionsIn('at-once/b')).length, 1)
})

test('the same upload by many at once is one scan', async () => {
  const scan = { repository: 'at-once/c', commit: '4000000' }
  const answers = await Promise.all(Array.from({ length: 6 }, () => upload(gatehouse, scan, pair(1))))
  assert.equal(new Set(answers.map((answer) => answer.body.scan.id)).size, 1)
  assert.equal(answers.filter((answer) => !answer.body.repeated).length, 1)
})

test('a file that another upload replaces while it was to be left as it is, is read again', async () => {
  const repository = 'at-once/d'
  for (let round = 0; round < 5; round++) {
    await upload(gatehouse, { repository, commit: `500000${round}` }, pair(1))
    const [one, two] = await Promise.all([
      upload(gatehouse, { repository, commit: `510000${round}` }, pair(1)),
      upload(gatehouse, { repository, commit: `520000${round}` }, pair(2)),
    ])
    const winner = one.body.scan.id > two.body.scan.id ? '1.0.0' : '2.0.0'
    assert.deepEqual(await versionsIn(repository), [winner])
  }
})

test('new packages in many uploads at once are each stored once', async () => {
  const lock = packageLock(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`fresh-${at}`, '1.0.0'])))
  const uploads = Array.from({ length: 8 }, (_, at) =>
    upload(gatehouse, { repository: `fresh/${at}` }, { 'package-lock.json': lock }),
  )
  for (const answer of await Promise.all(uploads)) assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const [row] = await gatehouse.db
    .as(gatehouse.owner)
    .query(sql`select count(*) as packages from package where name like 'fresh-%'`)
  assert.deepEqual(row, { packages: 300 })
})

test('a body that breaks off changes nothing, wherever it breaks', async () => {
  const repository = 'broken-off/a'
  await upload(gatehouse, { repository, commit: '6000000' }, pair(1))
  const body = multipart({ repository, ref: 'main', commit: '6000001' }, pair(2))
  const scans = async () => (await gatehouse.call('GET', scansPath(gatehouse.owner.deploymentId))).body.scans[0].id
  const before = await scans()
  for (const length of [0, 40, 200, body.length >> 1, body.length - 20, body.length - 3]) {
    await sendPart(body, length)
    assert.deepEqual(await versionsIn(repository), ['1.0.0'], `after ${length} bytes`)
  }
  assert.equal(await scans(), before)
  assert.equal((await upload(gatehouse, { repository, commit: '6000001' }, pair(2))).status, 200)
  assert.deepEqual(await versionsIn(repository), ['2.0.0'])
})

/** Announces the whole body, sends the first bytes of it, and hangs up. */
async function sendPart(body: Buffer, length: number): Promise<void> {
  const { hostname, port } = new URL(gatehouse.url)
  const headers = {
    authorization: `Bearer ${gatehouse.owner.token}`,
    'content-type': 'multipart/form-data; boundary=Boundary-7f3a',
    'content-length': body.length,
  }
  await new Promise<void>((resolve) => {
    const path = scansPath(gatehouse.owner.deploymentId)
    const sending = request({ hostname, port, path, method: 'POST', headers })
    sending.on('error', () => {}).on('close', resolve)
    sending.write(body.subarray(0, length), () => sending.destroy())
    if (length === 0) sending.flushHeaders()
  })
}
