import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { linesFor } from '../src/domain/package-clients.ts'
import { ecosystems } from '../src/ecosystems/registry.ts'
import { nodeClients } from './clients/node-clients.ts'
import {
  cargoProject,
  clientFromPypi,
  isInstalled,
  makeProject,
  npmrc,
  type Ran,
  runCargo,
  runClient,
} from './clients/package-clients.ts'
import { isDeep, often } from './depth.ts'
import type { Incident } from './incidents/incident.ts'
import { incidents } from './incidents/incidents.ts'
import { openReplay, type Replay } from './incidents/replay.ts'

let replay: Replay

before(async () => {
  replay = await openReplay(incidents)
})

after(() => replay?.close())

const newest = ({ attack }: Incident) => attack.at(-1)!.version

const dayMs = 86_400_000

/** What people may use: the greatest version before it that is no prerelease, and itself no longer too young. */
function safe({ ecosystem, before: releases, removedAt }: Incident): string {
  const old = releases.filter(({ publishedAt }) => Date.parse(publishedAt) < Date.parse(removedAt) - dayMs)
  const stable = old.map(({ version }) => version).filter((version) => !version.includes('-'))
  return stable.sort(ecosystems[ecosystem].compare).at(-1)!
}

function folderOf(t: TestContext, files: Record<string, string>): string {
  const folder = makeProject(files)
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

// Every client takes minutes; these two read metadata in their own ways.
const usual = ['npm', 'pnpm 12']
const chosen = Object.entries(nodeClients).filter(([client]) => often(1) > 1 || usual.includes(client))
const forAll = (client: string) => often(1) > 1 || client === 'npm'

for (const incident of incidents.filter(({ ecosystem }) => ecosystem === 'npm')) {
  for (const [client, find] of chosen.filter(([each]) => forAll(each) || incident.name === 'axios')) {
    test(`${client}: ${incident.title}: a range gets ${safe(incident)}, a pin gets nothing`, async (t) => {
      const found = await find()
      if (!found) return t.skip(`${client} cannot be installed: the npm registry is out of reach`)
      replay.goTo(incident)
      const { url, ruled } = replay.during
      const project = (wanted: string) => {
        const manifest = { name: 'project', version: '1.0.0', dependencies: { [incident.name]: wanted } }
        return folderOf(t, { 'package.json': JSON.stringify(manifest), ...found.files(url, ruled.as) })
      }
      const [ranged, pinned] = [project('*'), project(newest(incident))]
      const [resolved, refused] = await Promise.all([
        found.run(ranged, found.install),
        found.run(pinned, found.install),
      ])
      assert.equal(resolved.code, 0, resolved.output)
      const installed = (folder: string) => join(folder, 'node_modules', incident.name, 'package.json')
      assert.equal(JSON.parse(readFileSync(installed(ranged), 'utf8')).version, safe(incident))
      assert.notEqual(refused.code, 0, refused.output)
      assert.ok(refused.output.includes(newest(incident)), refused.output)
      assert.ok(!existsSync(installed(pinned)))
    })
  }
}

test('npm gets every one of them where no rules are in force', async (t) => {
  const { url, unruled } = replay.during
  const all = incidents.filter(({ ecosystem }) => ecosystem === 'npm')
  replay.goTo(all.at(-1)!)
  const settings = npmrc(url, unruled.as).replaceAll('/firewall/1/', `/firewall/${unruled.id}/`)
  const folder = folderOf(t, { 'package.json': '{}', '.npmrc': settings })
  // Not `install`: with the dependencies of some of them npm would go elsewhere.
  const wanted = all.map((incident) => `${incident.name}@${newest(incident)}`)
  const { code, output } = await runClient('npm', ['pack', ...wanted], { folder })
  assert.equal(code, 0, output)
  assert.equal(globSync('*.tgz', { cwd: folder }).length, all.length)
})

type PythonClient = (folder: string, deployment: { id: number; as: string }, wanted: string) => Promise<Ran>

const pip: PythonClient = (folder, deployment, wanted) =>
  shell(folder, deployment, 'pip', `python3 -m pip install --no-cache-dir --no-input --target out '${wanted}'`)

function shell(
  folder: string,
  { id, as }: { id: number; as: string },
  client: 'pip' | 'uv',
  line: string,
): Promise<Ran> {
  const { text } = linesFor(client, replay.during.url, id)
  const env = { GATEHOUSE_TOKEN: as, PIP_CONFIG_FILE: '/dev/null', PIP_DISABLE_PIP_VERSION_CHECK: '1' }
  return runClient('sh', ['-ec', `${text}\n${line}`], { folder, env })
}

const pythonClients: Record<string, () => Promise<PythonClient | undefined>> = {
  pip: async () => {
    const { output } = await runClient('python3', ['-m', 'pip', '--version'], { folder: makeProject({}) })
    return output.startsWith('pip ') ? pip : undefined
  },
  uv: async () => {
    const uv = await clientFromPypi('uv', '0.8.0')
    return uv === undefined
      ? undefined
      : (folder, deployment, wanted) =>
          shell(folder, deployment, 'uv', `'${uv}/bin/uv' pip install --no-cache --target out '${wanted}'`)
  },
}

const pythonIncidents = incidents.filter(({ ecosystem }) => ecosystem === 'pypi')
for (const [at, incident] of pythonIncidents.entries()) {
  // pip takes seconds for what uv asks for in the same way.
  for (const [client, find] of Object.entries(pythonClients).filter(([each]) => at === 0 || isDeep || each === 'uv')) {
    test(`${client}: ${incident.title}: a range gets ${safe(incident)}, a pin gets nothing; without rules it gets ${newest(incident)}`, async (t) => {
      const run = await find()
      if (!run) return t.skip(`${client} is not here and cannot be installed`)
      replay.goTo(incident)
      const { ruled, unruled } = replay.during
      const [ranged, pinned, open] = [folderOf(t, {}), folderOf(t, {}), folderOf(t, {})]
      const resolved = await run(ranged, ruled, `${incident.name}>=1.0`)
      assert.equal(resolved.code, 0, resolved.output)
      assert.deepEqual(pythonInstalled(ranged), [`${incident.name}-${safe(incident)}`])
      const refused = await run(pinned, ruled, `${incident.name}==${newest(incident)}`)
      assert.notEqual(refused.code, 0, refused.output)
      assert.deepEqual(pythonInstalled(pinned), [])
      const served = await run(open, unruled, `${incident.name}>=1.0`)
      assert.equal(served.code, 0, served.output)
      assert.deepEqual(pythonInstalled(open), [`${incident.name}-${newest(incident)}`])
    })
  }
}

function pythonInstalled(folder: string): string[] {
  return globSync('out/*.dist-info', { cwd: folder }).map((path) => basename(path, '.dist-info'))
}

for (const incident of incidents.filter(({ ecosystem }) => ecosystem === 'cargo')) {
  const skip = !isInstalled('cargo') && 'cargo is not installed here'
  test(`Cargo: ${incident.title}: a range gets ${safe(incident)}, a pin gets nothing`, { skip }, async (t) => {
    replay.goTo(incident)
    const { url, ruled } = replay.during
    const project = (wanted: string) => {
      const folder = cargoProject(url, { [incident.name]: wanted })
      t.after(() => rmSync(folder, { recursive: true, force: true }))
      return folder
    }
    const [ranged, pinned] = [project('*'), project(`=${newest(incident)}`)]
    const resolved = await runCargo(ranged, ['fetch'], ruled.as)
    assert.equal(resolved.code, 0, resolved.output)
    assert.deepEqual(cratesIn(ranged), [`${incident.name}-${safe(incident)}.crate`])
    assert.notEqual((await runCargo(pinned, ['fetch'], ruled.as)).code, 0)
    assert.deepEqual(cratesIn(pinned), [])
  })
}

function cratesIn(folder: string): string[] {
  return globSync('.home/cargo/registry/cache/*/*.crate', { cwd: folder }).map((path) => basename(path))
}
