import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { linesFor } from '../src/domain/package-clients.ts'
import { type PypiRegistrySandbox, startPypiRegistry } from '../src/sandbox/registries/pypi-registry.ts'
import { makeProject, type Ran, runClient } from './clients/package-clients.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'
import { openProxyGatehouse, type ProxyGatehouse } from './servers/proxy-gatehouse.ts'

let gatehouse: TestGatehouse

before(async () => {
  gatehouse = await openGatehouse()
})

after(() => gatehouse.close())

async function open(htmlOnly: boolean): Promise<{ index: PypiRegistrySandbox; proxy: ProxyGatehouse }> {
  const index = await startPypiRegistry({ htmlOnly })
  for (const version of ['1.0', '1.1', '1.2']) index.publish({ name: 'left-pad', version })
  index.publish({ name: 'left-pad', version: '1.3', yanked: 'broken' })
  index.publish({ name: 'right', version: '2.0', requires: ['left_pad>=1.0'] })
  index.publish({ name: 'evil', version: '6.6' })
  return { index, proxy: await openProxyGatehouse({ upstreams: { pypi: index.indexUrl } }, gatehouse) }
}

function pip(proxy: ProxyGatehouse, folder: string, ...wanted: string[]): Promise<Ran> {
  const { text } = linesFor('pip', proxy.url, 1)
  const index = /PIP_INDEX_URL="(.*)"/.exec(text)![1]!.replace('${GATEHOUSE_TOKEN}', proxy.token)
  const env = { PIP_CONFIG_FILE: '/dev/null', PIP_DISABLE_PIP_VERSION_CHECK: '1', PIP_INDEX_URL: index }
  const args = ['-m', 'pip', 'install', '--no-cache-dir', '--no-input', '--target', join(folder, 'out'), ...wanted]
  return runClient('python3', args, { folder, env })
}

async function installed(folder: string): Promise<string> {
  const script = 'import left_pad; print(left_pad.version)'
  const { output } = await runClient('python3', ['-c', script], { folder, env: { PYTHONPATH: join(folder, 'out') } })
  return output.trim()
}

for (const htmlOnly of [false, true]) {
  test(`pip, from an index that speaks ${htmlOnly ? 'only HTML' : 'JSON'}`, async (t) => {
    const { output: version } = await runClient('python3', ['-m', 'pip', '--version'], { folder: makeProject({}) })
    if (!version.startsWith('pip ')) return t.skip('pip is not installed here')
    const { index, proxy } = await open(htmlOnly)
    t.after(async () => {
      await proxy.close()
      await index.close()
    })

    const first = makeProject({})
    const all = await pip(proxy, first, 'right')
    assert.equal(all.code, 0, all.output)
    assert.equal(await installed(first), '1.2')

    proxy.blocked.set('pypi left-pad@1.2', 'MAL-2026-9')
    const ranged = makeProject({})
    const resolved = await pip(proxy, ranged, 'right', 'left.pad>=1.0')
    assert.equal(resolved.code, 0, resolved.output)
    assert.equal(await installed(ranged), '1.1')

    const pinned = makeProject({})
    const refused = await pip(proxy, pinned, 'left-pad==1.2')
    assert.notEqual(refused.code, 0)
    assert.match(refused.output, /Gatehouse refuses left-pad@1\.2: .*MAL-2026-9/)

    proxy.blocked.set('pypi evil', 'MAL-2026-10')
    const asked = index.seen.length
    // Of a project whose page is refused pip says why only where it is told to say much.
    const hopeless = await pip(proxy, pinned, '-vv', 'evil')
    assert.notEqual(hopeless.code, 0)
    assert.match(hopeless.output, /Gatehouse refuses every version of evil: .*MAL-2026-10/)
    assert.equal(index.seen.length, asked)
    for (const folder of [first, ranged, pinned]) rmSync(folder, { recursive: true, force: true })
  })
}
