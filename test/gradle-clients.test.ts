import assert from 'node:assert/strict'
import { globSync, rmSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { linesFor } from '../src/domain/package-clients.ts'
import { type MavenRegistrySandbox, startMavenRegistry } from '../src/sandbox/registries/maven-registry.ts'
import { isInstalled, makeProject, type Ran, runClient } from './clients/package-clients.ts'
import { deepOnly } from './depth.ts'
import { openProxyGatehouse, type ProxyGatehouse } from './servers/proxy-gatehouse.ts'

let repository: MavenRegistrySandbox
let proxy: ProxyGatehouse

before(async () => {
  repository = await startMavenRegistry()
  for (const version of ['1.0', '1.1', '1.2']) repository.publish({ group: 'com.acme', artifact: 'left', version })
  repository.publish({ group: 'com.acme', artifact: 'middle', version: '3.0' })
  const dependencies = [{ group: 'com.acme', artifact: 'middle', version: '3.0' }]
  repository.publish({ group: 'com.acme', artifact: 'right', version: '2.0', dependencies })
  proxy = await openProxyGatehouse({ upstreams: { maven: repository.url } })
})

after(async () => {
  await proxy.close()
  await repository.close()
})

/** A project with one configuration for each way to ask for `left`. */
function project(ranges: string[]): string {
  const wanted = ranges.map((range, at) => `wanted${at} 'com.acme:left:${range}', 'com.acme:right:2.0'`)
  const tasks = ranges.map(
    (_, at) => `task fetch${at}(type: Copy) { from configurations.wanted${at}; into 'out/${at}' }`,
  )
  return makeProject({
    'settings.gradle': "rootProject.name = 'project'\n",
    'build.gradle': `
      ${linesFor('gradle', proxy.url, 1).text}
      configurations { ${ranges.map((_, at) => `wanted${at}`).join('; ')} }
      dependencies {
        ${wanted.join('\n')}
      }
      ${tasks.join('\n')}
      task fetch { dependsOn ${ranges.map((_, at) => `fetch${at}`).join(', ')} }
    `,
  })
}

function fetchAll(folder: string): Promise<Ran> {
  const args = ['--no-daemon', '--gradle-user-home', `${folder}/.gradle-home`, 'fetch']
  return runClient('gradle', args, { folder, env: { GATEHOUSE_TOKEN: proxy.token } })
}

const fetched = (folder: string, at: number) => globSync('*.jar', { cwd: `${folder}/out/${at}` }).sort()

test('Gradle: a range resolves to the safe version, a pin fails with our words', {
  skip: deepOnly('two runs of Gradle take a while'),
}, async (t) => {
  if (!isInstalled('gradle')) return t.skip('Gradle is not installed here')
  const ranges = ['[1.0,2)', '1.+', 'latest.release']
  for (const chosen of ['1.2', '1.1']) {
    const folder = project(ranges)
    const { code, output } = await fetchAll(folder)
    assert.equal(code, 0, output)
    for (const [at, range] of ranges.entries()) {
      assert.deepEqual(fetched(folder, at), [`left-${chosen}.jar`, 'middle-3.0.jar', 'right-2.0.jar'], range)
    }
    rmSync(folder, { recursive: true, force: true })
    proxy.blocked.set('maven com.acme:left@1.2', 'MAL-2026-12')
  }

  const pinned = project(['1.2'])
  const { code, output } = await fetchAll(pinned)
  assert.notEqual(code, 0)
  assert.match(output, /Gatehouse refuses com\.acme:left@1\.2: .*MAL-2026-12/)
  assert.ok(proxy.events.some(({ name, version, refused }) => refused && `${name}@${version}` === 'com.acme:left@1.2'))
  rmSync(pinned, { recursive: true, force: true })
})
