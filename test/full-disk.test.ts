import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { kill, oursIn } from '../src/postgres/process/test-owner-process.ts'
import { runCommand } from './clients/command-line.ts'
import { openGatehouse } from './gatehouse.ts'
import { poll, startProcess, startServer } from './servers/real-process.ts'

const mebibyte = 1024 ** 2
const reserve = 100 * mebibyte
const repositories = '/api/repositories/v1/deployments/1/repositories'

/** A gatehouse whose disk has as much left as the test says. */
async function houseWith(t: TestContext) {
  const disk = { freeBytes: 10 * reserve }
  const lines: string[] = []
  const gatehouse = await openGatehouse({
    env: { GATEHOUSE_DISK_RESERVE_BYTES: String(reserve) },
    diskSpace: { read: async () => ({ freeBytes: disk.freeBytes, device: 1 }) },
    log: (line) => void lines.push(line),
  })
  t.after(() => gatehouse.close())
  async function leave(freeBytes: number): Promise<void> {
    disk.freeBytes = freeBytes
    await gatehouse.space.look()
  }
  return { ...gatehouse, leave, lines }
}

test('below the reserve writes and uploads are refused by name of the disk; reads, sign-ins and verdicts go on', async (t) => {
  const { call, leave, owner, signIn } = await houseWith(t)
  const post = (name: string) => call('POST', repositories, { body: { name } })
  const upload = () =>
    call('POST', '/api/scans/v1/deployments/1/scans/raw?repository=a/b&ref=main&path=log.sarif', {
      body: '{}',
      headers: { 'content-type': 'application/octet-stream' },
    })
  assert.equal((await post('before')).status, 200)
  await leave(reserve - 1)
  for (const refused of [await post('never'), await upload()]) {
    assert.equal(refused.status, 507)
    assert.match(
      refused.body.detail,
      /^Nothing more is written: the disk of the data folder has 99 MiB left, and GATEHOUSE_DISK_RESERVE_BYTES keeps 100 MiB free\./,
    )
  }
  assert.equal((await call('GET', repositories)).status, 200)
  assert.equal((await call('GET', '/api/readiness-check')).status, 200)
  assert.ok(await signIn(owner.email, owner.password))
  const asked = 'ecosystem=npm&name=left-pad&version=1.0.0&publishedAt=2020-01-01T00:00:00.000Z'
  const verdict = await call('GET', `/api/firewall/v1/deployments/1/verdict?${asked}`)
  assert.equal(verdict.status, 200, JSON.stringify(verdict.body))
  await leave(3 * reserve)
  assert.equal((await post('after')).status, 200)
})

test('the log, the metrics and the status of the system say so before it comes to that', async (t) => {
  const { call, leave, lines } = await houseWith(t)
  const seen = async () => {
    const { checks } = (await call('GET', '/api/system/v1/status')).body
    return checks.filter(({ part }: { part: string }) => part === 'disk').map(({ state }: { state: string }) => state)
  }
  assert.deepEqual(await seen(), ['ok'])
  await leave(2 * reserve - 1)
  assert.deepEqual(await seen(), ['warning'])
  assert.ok(lines.some((line) => /the disk of the data folder .* has 199 MiB left/.test(line)))
  assert.match((await call('GET', '/metrics')).body, /gatehouse_disk_free_bytes\{disk="data folder"\} 209715199/)
  assert.equal((await call('POST', repositories, { body: { name: 'still' } })).status, 200)
  await leave(reserve - 1)
  assert.deepEqual(await seen(), ['problem'])
})

const smallVolume = (size = '700m') => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-volume-'))
  const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]).status === 0
  if (!mounted) rmSync(folder, { recursive: true })
  return mounted ? folder : undefined
}

test('on a small volume that fills up, the embedded database stays up and nothing is lost', async (t) => {
  const folder = smallVolume()
  if (!folder) return t.skip('only root may mount a small volume')
  t.after(async () => {
    for (const { pid } of oursIn(folder)) kill(pid)
    await poll('its processes have gone', () => oursIn(folder).length === 0)
    spawnSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true, force: true })
  })
  chmodSync(folder, 0o711)
  const env = { GATEHOUSE_DATA: folder, GATEHOUSE_DISK_RESERVE_BYTES: String(reserve) }
  const server = await startServer(env)
  t.after(() => void server.child.kill('SIGKILL'))
  const { call } = server
  const ballast = join(folder, 'ballast')
  const fillUpTo = (left: number) => {
    const { bavail, bsize } = statfsSync(folder)
    writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize - left)))
  }
  let acknowledged = 0
  const post = async () => {
    const answer = await call('POST', repositories, { body: { name: `r-${acknowledged}` } })
    if (answer.status === 200) acknowledged++
    return answer
  }
  assert.equal((await post()).status, 200)
  fillUpTo(reserve / 2)
  await poll('writes are refused', async () => (await post()).status === 507)
  assert.match((await post()).body.detail, /the disk of the database has \d+ MiB left/)
  assert.equal((await call('GET', repositories)).status, 200)
  const doctor = await runCommand(['doctor', '--json'], { env: { ...env, GATEHOUSE_FEED: 'none' } })
  assert.match(doctor.stdout, /"disk","state":"problem"/)
  rmSync(ballast)
  await poll('writes are taken again', async () => (await post()).status === 200)
  const { repositories: listed } = (await call('GET', repositories)).body
  assert.equal(listed.length, acknowledged)
  server.child.kill('SIGTERM')
  assert.equal(await server.ended, 0)
})

test('a first start on a volume that is too small says so, and works when there is room', async (t) => {
  const folder = smallVolume('40m')
  if (!folder) return t.skip('only root may mount a small volume')
  t.after(async () => {
    for (const { pid } of oursIn(folder)) kill(pid)
    await poll('its processes have gone', () => oursIn(folder).length === 0)
    spawnSync('umount', ['-l', folder])
    rmSync(folder, { recursive: true, force: true })
  })
  chmodSync(folder, 0o711)
  const env = { GATEHOUSE_DATA: folder, GATEHOUSE_DISK_RESERVE_BYTES: '0' }
  const full = startProcess(env)
  assert.equal(await full.ended, 1, full.output() + full.log())
  assert.match(JSON.parse(full.output()).error, /disk (of the data folder )?is full\. Free some space/)
  assert.equal(spawnSync('mount', ['-o', 'remount,size=700m', folder]).status, 0)
  const server = await startServer(env)
  server.child.kill('SIGTERM')
  assert.equal(await server.ended, 0)
})
