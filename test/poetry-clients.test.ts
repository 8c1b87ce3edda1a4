import assert from 'node:assert/strict'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, before, test } from 'node:test'
import { type PypiRegistrySandbox, startPypiRegistry } from '../src/sandbox/registries/pypi-registry.ts'
import { isInstalled, makeProject, type Ran, runClient } from './clients/package-clients.ts'
import { openProxyGatehouse, type ProxyGatehouse } from './servers/proxy-gatehouse.ts'

let index: PypiRegistrySandbox
let proxy: ProxyGatehouse

before(async () => {
  index = await startPypiRegistry()
  for (const version of ['1.0', '1.1', '1.2']) index.publish({ name: 'left-pad', version })
  index.publish({ name: 'right', version: '2.0', requires: ['left-pad>=1.0'] })
  proxy = await openProxyGatehouse({ upstreams: { pypi: index.indexUrl } })
})

after(async () => {
  await proxy.close()
  await index.close()
})

function project(dependencies: Record<string, string>, more: Record<string, string> = {}): string {
  const listed = Object.entries(dependencies).map(([name, range]) => `${name} = "${range}"`)
  return makeProject({
    'pyproject.toml': `[tool.poetry]
name = "project"
version = "1.0.0"
description = ""
authors = []

[tool.poetry.dependencies]
python = "^3.8"
${listed.join('\n')}

[[tool.poetry.source]]
name = "gatehouse"
url = "${proxy.url}/firewall/1/pypi/simple/"
default = true
`,
    ...more,
  })
}

function poetry(folder: string, ...args: string[]): Promise<Ran> {
  const env = {
    POETRY_HTTP_BASIC_GATEHOUSE_USERNAME: '__token__',
    POETRY_HTTP_BASIC_GATEHOUSE_PASSWORD: proxy.token,
    POETRY_VIRTUALENVS_IN_PROJECT: 'true',
    PYTHON_KEYRING_BACKEND: 'keyring.backends.null.Keyring',
  }
  return runClient('poetry', [...args, '--no-interaction'], { folder, env })
}

const installed = (folder: string) =>
  globSync('.venv/lib/*/site-packages/*.dist-info', { cwd: folder })
    .map((path) => basename(path, '.dist-info'))
    .filter((name) => /^(left|right)/.test(name))
    .sort()

test('poetry: a range resolves to the safe version, a pin and a lockfile fail with our words', async (t) => {
  if (!isInstalled('poetry')) return t.skip('poetry is not installed here')
  const before = project({ right: '2.0' })
  const all = await poetry(before, 'install', '--no-root')
  assert.equal(all.code, 0, all.output)
  assert.deepEqual(installed(before), ['left_pad-1.2', 'right-2.0'])
  const lockfile = readFileSync(join(before, 'poetry.lock'), 'utf8')

  proxy.blocked.set('pypi left-pad@1.2', 'MAL-2026-13')
  const ranged = project({ right: '2.0', 'left-pad': '>=1.0' })
  const resolved = await poetry(ranged, 'install', '--no-root')
  assert.equal(resolved.code, 0, resolved.output)
  assert.deepEqual(installed(ranged), ['left_pad-1.1', 'right-2.0'])

  const pinned = project({ 'left-pad': '1.2' })
  const refused = await poetry(pinned, 'lock')
  assert.notEqual(refused.code, 0)
  assert.match(refused.output, /Gatehouse refuses left-pad@1\.2: .*MAL-2026-13/)

  const locked = project({ right: '2.0' }, { 'poetry.lock': lockfile })
  const held = await poetry(locked, 'install', '--no-root')
  assert.notEqual(held.code, 0)
  assert.match(held.output, /Gatehouse refuses left-pad@1\.2: .*MAL-2026-13/)
  assert.deepEqual(
    installed(locked).filter((name) => name.startsWith('left')),
    [],
  )
  for (const folder of [before, ranged, pinned, locked]) rmSync(folder, { recursive: true, force: true })
})
