import assert from 'node:assert/strict'
import { globSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, test } from 'node:test'
import { linesFor } from '../src/domain/package-clients.ts'
import { maven } from '../src/ecosystems/maven/ecosystem.ts'
import { type MavenRegistrySandbox, startMavenRegistry } from '../src/sandbox/registries/maven-registry.ts'
import { makeProject, type Ran, runClient } from './clients/package-clients.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'
import { openProxyGatehouse, type ProxyGatehouse } from './servers/proxy-gatehouse.ts'

/** Maven's own repository on this machine: its plugins come from there, by way of the sandbox. */
const behind = join(homedir(), '.m2', 'repository')
const plugins = 'org/apache/maven/plugins/maven-compiler-plugin'

let gatehouse: TestGatehouse
let repository: MavenRegistrySandbox
let proxy: ProxyGatehouse

before(async () => {
  gatehouse = await openGatehouse()
  repository = await startMavenRegistry({ behind })
  for (const version of ['1.0', '1.1', '1.2']) repository.publish({ group: 'com.acme', artifact: 'left', version })
  const dependencies = [{ group: 'com.acme', artifact: 'left', version: '1.0' }]
  repository.publish({ group: 'com.acme', artifact: 'right', version: '2.0', dependencies })
  proxy = await openProxyGatehouse({ upstreams: { maven: repository.url } }, gatehouse)
})

after(async () => {
  await proxy.close()
  await repository.close()
  await gatehouse.close()
})

function pluginVersions(): string[] {
  const jars = globSync(`${plugins}/*/*.jar`, { cwd: behind })
  return jars.map((jar) => jar.split('/').at(-2)!).sort((a, b) => maven.compare(b, a))
}

function project(dependencies: [artifact: string, version: string][]): string {
  const listed = dependencies.map(
    ([artifact, version]) =>
      `<dependency><groupId>com.acme</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`,
  )
  return makeProject({
    'pom.xml': `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>x</groupId>
      <artifactId>x</artifactId><version>1</version>
      <dependencies>${listed.join('')}</dependencies></project>`,
    'settings.xml': linesFor('maven', proxy.url, 1).text,
  })
}

/** A goal that needs all dependencies of the project. */
function compile(folder: string, plugin: string): Promise<Ran> {
  const goal = `org.apache.maven.plugins:maven-compiler-plugin:${plugin}:compile`
  const local = `-Dmaven.repo.local=${join(folder, 'local')}`
  return runClient('mvn', ['-B', '-s', 'settings.xml', local, goal], { folder, env: { GATEHOUSE_TOKEN: proxy.token } })
}

function fetched(folder: string): string[] {
  return globSync('local/com/acme/**/*.jar', { cwd: folder })
    .map((path) => basename(path))
    .sort()
}

test('Maven: a range resolves to the safe version, a pin fails with our words', async (t) => {
  const probe = project([['left', '1.2']])
  let plugin: string | undefined
  for (const version of pluginVersions()) {
    const { code } = await compile(probe, version)
    if (code === 0) plugin = version
    if (code === 0) break
  }
  if (!plugin) return t.skip('Maven or its compiler plugin is not on this machine')
  assert.deepEqual(fetched(probe), ['left-1.2.jar'])

  proxy.blocked.set('maven com.acme:left@1.2', 'MAL-2026-11')
  const ranged = project([
    ['left', '[1.0,2)'],
    ['right', '2.0'],
  ])
  const resolved = await compile(ranged, plugin)
  assert.equal(resolved.code, 0, resolved.output)
  assert.deepEqual(fetched(ranged), ['left-1.1.jar', 'right-2.0.jar'])

  const pinned = project([['left', '1.2']])
  const refused = await compile(pinned, plugin)
  assert.notEqual(refused.code, 0)
  assert.match(refused.output, /Gatehouse refuses com\.acme:left@1\.2: .*MAL-2026-11/)
  for (const folder of [probe, ranged, pinned]) rmSync(folder, { recursive: true, force: true })
})
