import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { openGatehouse } from '../../test/gatehouse.ts'
import { databaseUrl, root, startProcess } from '../../test/servers/real-process.ts'
import { createKeyRing, type WrappedKey } from './key-ring.ts'

const document = readFileSync(new URL('../../docs/decrypting-credentials.md', import.meta.url), 'utf8')

/** The program under a heading of the document, and how a reader would run it. */
const programs = [
  { heading: 'Node, no packages', command: process.execPath, args: ['--input-type=module', '-e'], needs: '' },
  { heading: 'Python, no packages', command: 'python3', args: ['-c'], needs: 'import _hashlib' },
  { heading: 'Python, with `cryptography`', command: 'python3', args: ['-c'], needs: 'import cryptography' },
]

for (const { heading, command, args, needs } of programs) {
  const absent = spawnSync(command, [...args, needs]).status !== 0
  test(`the documented program "${heading}" opens what the vault sealed, and nothing else`, {
    skip: absent && `${command} cannot run: ${needs}`,
  }, async () => {
    const ring = createKeyRing({ masterKey: randomBytes(32), store: memoryStore() })
    const place = { record: 'package-manager-config:42', field: 'credentials' }
    const plaintext = JSON.stringify({ npm: { scope: null, token: 'grün 🔑' } })
    const old = await ring.seal('1', plaintext, place)
    await ring.rotate('1')
    const fresh = await ring.seal('1', plaintext, place)
    const keys = await ring.export('1')

    const run = (input: object) => runProgram(heading, command, args, input)
    const refused = { opened: false, output: '' }
    for (const sealed of [old, fresh]) {
      assert.deepEqual(run({ keys, ...place, sealed }), { opened: true, output: plaintext })
    }
    assert.deepEqual(run({ keys, ...place, record: 'package-manager-config:43', sealed: fresh }), refused)
    assert.deepEqual(run({ keys: { ...keys, scope: '2' }, ...place, sealed: fresh }), refused)
    assert.deepEqual(run({ keys, ...place, sealed: { ...fresh, keyVersion: '1' } }), refused)
    assert.deepEqual(run({ keys, ...place, sealed: { ...fresh, tag: old.tag } }), refused)
  })
}

test('they open what the endpoint returns, with the keys that the command line exports', async () => {
  const gatehouse = await openGatehouse()
  try {
    const { deploymentId } = gatehouse.owner
    const path = `/api/agent/deployments/${deploymentId}/packagemanagerauthconfigs`
    const credentials = { maven: { username: 'ci', password: 'grün 🔑 "quoted"' } }
    const config = { name: 'Ours', url: 'https://r.example.com', ecosystem: 'maven' }
    await gatehouse.call('POST', path, { body: { packageManagerConfigForInsert: { config, ...credentials } } })
    const env = {
      DATABASE_URL: databaseUrl(gatehouse.connection as Parameters<typeof databaseUrl>[0]),
      GATEHOUSE_KEY: gatehouse.masterKey.toString('base64'),
    }
    const exporting = startProcess(env, [process.execPath, `${root}/src/main.ts`, 'keys', 'export', '--json'])
    assert.equal(await exporting.ended, 0, exporting.log())
    const keys = JSON.parse(exporting.output())
    const [entry] = (await gatehouse.call('GET', path)).body.packageManagerConfigsWithCredentials
    const input = { keys, record: `package-manager-config:${entry.config.id}`, field: 'credentials' }
    for (const { heading, command, args, needs } of programs) {
      if (spawnSync(command, [...args, needs]).status !== 0) continue
      const { opened, output } = runProgram(heading, command, args, { ...input, sealed: entry.credentials })
      assert.ok(opened, heading)
      assert.deepEqual(JSON.parse(output), credentials)
    }
  } finally {
    await gatehouse.close()
  }
})

function runProgram(heading: string, command: string, args: string[], input: object) {
  const { status, stdout } = spawnSync(command, [...args, programUnder(heading)], { input: JSON.stringify(input) })
  return { opened: status === 0, output: stdout.toString('utf8') }
}

function programUnder(heading: string): string {
  const section = document.split(`## ${heading}\n`)[1]
  const program = section?.match(/```(?:js|python)\n([\s\S]*?)```/)?.[1]
  assert.ok(program, `no program under "${heading}"`)
  return program
}

function memoryStore() {
  const rows: WrappedKey[] = []
  return {
    list: async () => [...rows],
    insert: async (_scope: string, version: number, wrapped: string) => rows.push({ version, wrapped }) > 0,
  }
}
