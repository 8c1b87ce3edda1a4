import assert from 'node:assert/strict'
import { globSync, readFileSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { linesFor } from '../src/domain/package-clients.ts'
import { maven } from '../src/ecosystems/maven/ecosystem.ts'
import { withoutOpenssl } from '../src/outbound/test-certificate.ts'
import {
  cargoProject,
  goProject,
  isInstalled,
  makeProject,
  npmrc,
  type Ran,
  runCargo,
  runClient,
  runGo,
} from './clients/package-clients.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'
import { startTlsFront } from './outside/tls-front.ts'
import { type Ecosystem, openTwo } from './outside/two-registries.ts'
import { openProxyGatehouse, type ProxyGatehouse } from './servers/proxy-gatehouse.ts'

/** Maven's own repository on this machine: its plugins come from there, by way of the public sandbox. */
const behind = join(homedir(), '.m2', 'repository')
const configs = '/api/agent/deployments/1/packagemanagerauthconfigs'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

type World = { two: Awaited<ReturnType<typeof openTwo>>; proxy: ProxyGatehouse }

/** A private registry and a public one, where a stranger has published 9.9.9 of what is private in 1.0.0 and 1.1.0. */
async function open(t: TestContext, ecosystem: Ecosystem, name: string): Promise<World> {
  const two = await openTwo(ecosystem, { behind })
  const proxy = await openProxyGatehouse(
    { upstreams: { [ecosystem]: two.open.url }, egressAllow: '127.0.0.1' },
    gatehouse,
  )
  t.after(async () => {
    await proxy.close()
    await two.close()
  })
  for (const entry of [two.openEntry, two.entry]) {
    const made = await gatehouse.call('POST', configs, { body: { packageManagerConfigForInsert: entry } })
    assert.equal(made.status, 200, JSON.stringify(made.body))
  }
  for (const version of ['1.0.0', '1.1.0']) two.own.publish(name, version)
  two.open.publish(name, '9.9.9')
  return { two, proxy }
}

function folderFor(t: TestContext, files: Record<string, string>): string {
  const folder = makeProject(files)
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** With an expired token, which the registry does not tell from a stranger's, a client gets nothing and no stranger is told. */
async function staysPrivate({ two, proxy }: World, name: string, install: () => Promise<Ran>): Promise<void> {
  Object.assign(two.control, { manner: 'hides', state: 'token expired' })
  proxy.expire()
  assert.notEqual((await install()).code, 0)
  assert.ok(!two.wasTold(name))
}

function mavenProject({ proxy }: World, t: TestContext, version: string): string {
  const dependency = `<dependency><groupId>com.corp</groupId><artifactId>inner</artifactId><version>${version}</version></dependency>`
  return folderFor(t, {
    'pom.xml': `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>x</groupId>
      <artifactId>x</artifactId><version>1</version><dependencies>${dependency}</dependencies></project>`,
    'settings.xml': linesFor('maven', proxy.url, 1).text,
  })
}

function compile({ proxy }: World, folder: string, local: string, plugin: string): Promise<Ran> {
  const goal = `org.apache.maven.plugins:maven-compiler-plugin:${plugin}:compile`
  const args = ['-B', '-s', 'settings.xml', `-Dmaven.repo.local=${local}`, goal]
  return runClient('mvn', args, { folder, env: { GATEHOUSE_TOKEN: proxy.token } })
}

test('Maven: a range and LATEST of a private artifact never reach the public 9.9.9', async (t) => {
  const jars = globSync('org/apache/maven/plugins/maven-compiler-plugin/*/*.jar', { cwd: behind })
  const [plugin] = jars.map((jar) => jar.split('/').at(-2)!).sort((a, b) => maven.compare(b, a))
  if (!plugin || !isInstalled('mvn')) return t.skip('Maven or its compiler plugin is not on this machine')
  const name = 'com.corp:inner'
  const world = await open(t, 'maven', name)
  const local = join(folderFor(t, {}), 'local')
  const fetched = () => globSync('com/corp/**/*.jar', { cwd: local }).map((path) => basename(path))
  const install = (version: string) => {
    rmSync(join(local, 'com', 'corp'), { recursive: true, force: true })
    return compile(world, mavenProject(world, t, version), local, plugin)
  }
  for (const version of ['[1.0,)', 'LATEST']) {
    const { code, output } = await install(version)
    assert.equal(code, 0, output)
    assert.deepEqual(fetched(), ['inner-1.1.0.jar'], version)
  }
  await staysPrivate(world, name, () => install('9.9.9'))
  assert.deepEqual(fetched(), [])
})

test('npm: latest of a private package never reach the public 9.9.9', async (t) => {
  if (!isInstalled('npm')) return t.skip('npm is not installed here')
  const name = 'corp-inner'
  const world = await open(t, 'npm', name)
  const { proxy } = world
  const install = async (wanted: string) => {
    const folder = folderFor(t, { 'package.json': '{}', '.npmrc': npmrc(proxy.url, proxy.token) })
    const ran = await runClient(
      'npm',
      ['install', '--fetch-retries=0', '--cache', join(folder, 'cache'), `${name}@${wanted}`],
      { folder },
    )
    return { ...ran, folder }
  }
  const { code, output, folder } = await install('latest')
  assert.equal(code, 0, output)
  const { version } = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'))
  assert.equal(version, '1.1.0')
  await staysPrivate(world, name, () => install('9.9.9'))
})

test('pip: a private project never reaches the public 9.9.9', async (t) => {
  const { output: version } = await runClient('python3', ['-m', 'pip', '--version'], { folder: folderFor(t, {}) })
  if (!version.startsWith('pip ')) return t.skip('pip is not installed here')
  const name = 'corp-inner'
  const world = await open(t, 'pypi', name)
  const { proxy } = world
  const install = async (wanted: string) => {
    const folder = folderFor(t, {})
    const index = `${proxy.url.replace('//', `//__token__:${proxy.token}@`)}/firewall/1/pypi/simple/`
    const env = { PIP_CONFIG_FILE: '/dev/null', PIP_DISABLE_PIP_VERSION_CHECK: '1', PIP_INDEX_URL: index }
    const args = [
      '-m',
      'pip',
      'install',
      '--no-cache-dir',
      '--no-input',
      '--retries=0',
      '--target',
      join(folder, 'out'),
    ]
    return runClient('python3', [...args, wanted], { folder, env })
  }
  const ranged = await install('Corp_Inner>=1.0')
  assert.equal(ranged.code, 0, ranged.output)
  assert.match(ranged.output, /corp[-_]inner-1\.1\.0/)
  await staysPrivate(world, name, () => install(`${name}==9.9.9`))
})

test('Cargo: a range of a private crate never reaches the public 9.9.9', async (t) => {
  if (!isInstalled('cargo')) return t.skip('cargo is not installed here')
  const name = 'corp-inner'
  const world = await open(t, 'cargo', name)
  const { proxy } = world
  const install = async (wanted: string) => {
    const folder = cargoProject(proxy.url, { [name]: wanted })
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    return { ...(await runCargo(folder, ['fetch'], proxy.token)), folder }
  }
  const { code, output, folder } = await install('*')
  assert.equal(code, 0, output)
  assert.match(readFileSync(join(folder, 'Cargo.lock'), 'utf8'), /name = "corp-inner"\nversion = "1\.1\.0"/)
  await staysPrivate(world, name, () => install('=9.9.9'))
})

test('Go: the latest version of a private module never is the public 9.9.9', async (t) => {
  if (!isInstalled('go')) return t.skip('go is not installed here')
  if (withoutOpenssl) return t.skip(withoutOpenssl)
  const name = 'corp.example/inner'
  const world = await open(t, 'gomod', name)
  const { proxy } = world
  const front = await startTlsFront(proxy.url)
  t.after(() => front.close())
  const server = { ...front, token: proxy.token }
  const install = async (wanted: string) => {
    const folder = goProject(server, [name])
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    return { ...(await runGo(folder, ['get', `${name}@${wanted}`], server, { GOPRIVATE: 'corp.example' })), folder }
  }
  const { code, output, folder } = await install('latest')
  assert.equal(code, 0, output)
  assert.match(readFileSync(join(folder, 'go.mod'), 'utf8'), /corp\.example\/inner v1\.1\.0/)
  await staysPrivate(world, name, () => install('v9.9.9'))
})
