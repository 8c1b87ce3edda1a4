import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { often } from '../../../../test/depth.ts'
import { dataFolder, startServer } from '../../../../test/servers/real-process.ts'
import { runningConnection } from '../../../postgres/process/running.ts'
import { multipart, packageLock, scansPath } from '../test-upload.ts'

const packages = 2_500
const rounds = often(2, 30)

function pair(version: number) {
  const names = Array.from({ length: packages }, (_, at) => [`package-${at}`, `${version}.0.0`])
  const lock = packageLock(Object.fromEntries(names))
  return { 'a/package-lock.json': lock, 'b/package-lock.json': lock }
}

/** Each version in the inventory, and how many dependencies have it. */
async function inventory(folder: string): Promise<[version: string, count: number][]> {
  const client = new pg.Client(runningConnection(folder))
  await client.connect()
  try {
    const { rows } = await client.query(`select v.version, count(*)::integer as count
      from dependency d join package_version v on v.deployment_id = d.deployment_id and v.id = d.package_version_id
      group by v.version`)
    return rows.map((row) => [row.version, row.count])
  } finally {
    await client.end()
  }
}

test(`killed ${rounds} times in the middle of an upload: the inventory is the one before or the one after, whole`, async (t) => {
  const folder = dataFolder(t)
  const env = { GATEHOUSE_DATA: folder }
  let server = await startServer(env)
  const { token, deploymentId } = server.welcome
  const send = (version: number) =>
    fetch(server.url + scansPath(deploymentId!), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'multipart/form-data; boundary=Boundary-7f3a' },
      body: Buffer.from(multipart({ repository: 'killed/a', ref: 'main', commit: `abcdef${version}` }, pair(version))),
    })

  // How long one takes here tells when to strike: each round at another moment of it.
  const began = performance.now()
  assert.equal((await send(0)).status, 200)
  const tookMs = performance.now() - began
  for (let round = 1; round <= rounds; round++) {
    const [before] = await inventory(folder)
    const sending = send(round).catch(() => undefined)
    await delay((tookMs * round) / (rounds + 1))
    server.child.kill('SIGKILL')
    await Promise.all([sending, server.ended])
    server = await startServer(env, token)
    const after = await inventory(folder)
    const whole = [before, [`${round}.0.0`, 2 * packages]].some(
      (one) => JSON.stringify([one]) === JSON.stringify(after),
    )
    assert.ok(whole, `round ${round}: ${JSON.stringify(after)}`)
    assert.deepEqual(readdirSync(join(folder, 'uploads')), [], 'nothing is left of the upload')
    assert.equal((await send(round)).status, 200)
    assert.deepEqual(await inventory(folder), [[`${round}.0.0`, 2 * packages]])
  }
})
