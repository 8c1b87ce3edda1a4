import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runCommand } from '../../../test/clients/command-line.ts'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { writeLogin } from '../login/stored-login.ts'

let gatehouse: TestGatehouse
let home: string
before(async () => {
  gatehouse = await openGatehouse()
  home = mkdtempSync(join(tmpdir(), 'gatehouse-token-'))
})
after(async () => {
  await gatehouse.close()
  rmSync(home, { recursive: true, force: true })
})

const env = (more: Record<string, string> = {}) => ({ HOME: home, XDG_CONFIG_HOME: '', ...more })
const about = async (token: string) => (await gatehouse.call('GET', '/api/tokens/v1/self', { as: token })).body

test('firewall token prints a token for packages alone, for a day unless told otherwise', async () => {
  const set = env({ GATEHOUSE_URL: gatehouse.url, GATEHOUSE_TOKEN: gatehouse.owner.token })
  const plain = await runCommand(['firewall', 'token'], { env: set })
  assert.deepEqual([plain.code, plain.stderr], [0, ''])
  assert.match(plain.stdout, /^\S+\n$/)
  const made = await about(plain.stdout.trim())
  assert.deepEqual(
    made.deployments.map(({ permissions }: { permissions: string[] }) => permissions),
    [['packages:read']],
  )
  const days = async (args: string[]) => {
    const { stdout } = await runCommand(['firewall', 'token', '--json', ...args], { env: set })
    const { token, expiresAt } = JSON.parse(stdout)
    assert.ok((await about(token)).deployments)
    return Math.round((Date.parse(expiresAt) - Date.now()) / 86_400_000)
  }
  assert.deepEqual([await days([]), await days(['--days', '9'])], [1, 9])
})

test('a token for packages makes no other; a sign-in does, also where the variable still has such a token', async () => {
  const packages = await gatehouse.makeToken(gatehouse.owner.token, 1, { scopes: ['packages:read'] })
  const stale = env({ GATEHOUSE_URL: gatehouse.url, GATEHOUSE_TOKEN: packages })
  const refused = await runCommand(['firewall', 'token'], { env: stale })
  assert.deepEqual([refused.code, refused.stdout], [2, ''])
  assert.match(refused.stderr, /^gatehouse: Gatehouse answered 403: .*tokens:write/)
  const login = { deployment: 1, token: gatehouse.owner.token, expiresAt: '2999-01-01T00:00:00Z' }
  writeLogin(env(), { ...login, url: 'https://other.example/' })
  assert.equal((await runCommand(['firewall', 'token'], { env: stale })).code, 2)
  writeLogin(env(), { ...login, url: `${gatehouse.url}/` })
  const made = await runCommand(['firewall', 'token'], { env: stale })
  assert.equal(made.code, 0, made.stderr)
})
