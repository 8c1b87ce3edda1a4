import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import http from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import packageJson from '../package.json' with { type: 'json' }
import { packageLock } from '../src/capabilities/scans/test-upload.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'

const run = promisify(execFile)
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'gatehouse-client-')))
const mostBytes = 1.5 * 1024 * 1024
/** What is read before the command line is understood: a start of 20 ms more than Node's own. */
const mostBytesAtStart = 80 * 1024
let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(async () => {
  await gatehouse.close()
  rmSync(folder, { recursive: true, force: true })
})

const environment = () => ({
  PATH: process.env.PATH!,
  HOME: folder,
  npm_config_cache: join(folder, 'cache'),
  // An address of the server, and nothing else: nothing is fetched from a registry.
  npm_config_registry: 'http://127.0.0.1:1/',
  GATEHOUSE_PREFIX: join(folder, 'installed'),
  GATEHOUSE_URL: gatehouse.url,
  GATEHOUSE_TOKEN: gatehouse.owner.token,
})

test('the client is installed from the server as its script says, and scans', async () => {
  const script = await (await fetch(`${gatehouse.url}/install.sh`)).text()
  writeFileSync(join(folder, 'install.sh'), script)
  const installed = await run('sh', [join(folder, 'install.sh')], { env: environment(), cwd: folder })
  assert.match(installed.stdout, /Installed: .*\/installed\/bin\/gatehouse\nAdd it to your PATH/)

  const program = join(folder, 'installed/bin/gatehouse')
  const gatehouseIs = async (...args: string[]) =>
    (await run(program, args, { env: environment(), cwd: folder })).stdout.trim()
  assert.equal(await gatehouseIs('--version'), packageJson.version)
  const installedIn = join(folder, 'installed/lib/node_modules/@gatehouse/cli')
  const files = readdirSync(installedIn).map((name) => join(installedIn, name))
  const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0)
  assert.ok(bytes < mostBytes, `${bytes} bytes`)
  for (const file of files)
    assert.ok(!/pg_backend_pid/.test(readFileSync(file, 'utf8')), `${file} knows of the database`)
  const atStart = loadedAtOnce(installedIn, 'gatehouse.mjs').reduce((sum, name) => sum + sizeIn(installedIn, name), 0)
  assert.ok(atStart < mostBytesAtStart, `${atStart} bytes are loaded before the command line is read`)

  writeFileSync(join(folder, 'package-lock.json'), packageLock({ lodash: '4.17.20' }))
  const receipt = JSON.parse(await gatehouseIs('scan', '.', '--repository', 'client/one', '--ref', 'main', '--json'))
  const read = receipt.files.map((file: { path: string; dependencies: number }) => [file.path, file.dependencies])
  assert.deepEqual(read, [['package-lock.json', 1]])
})

/** What came into JavaScript after Node 20, which the package says is enough. */
const withoutLaterBuiltIns = `
  const later = [
    [RegExp, 'escape'], [Promise, 'try', 'withResolvers'], [Object, 'groupBy'], [Map, 'groupBy'], [Array, 'fromAsync'],
    [Error, 'isError'], [Math, 'f16round', 'sumPrecise'], [Iterator, 'from', 'concat'],
    [Uint8Array, 'fromBase64', 'fromHex'], [Uint8Array.prototype, 'toBase64', 'toHex', 'setFromBase64', 'setFromHex'],
    [Set.prototype, 'union', 'intersection', 'difference', 'symmetricDifference', 'isSubsetOf', 'isSupersetOf', 'isDisjointFrom'],
    [Iterator.prototype, 'map', 'filter', 'take', 'drop', 'flatMap', 'reduce', 'toArray', 'forEach', 'some', 'every', 'find'],
  ]
  for (const [owner, ...names] of later) for (const name of names) delete owner[name]`

test('the client uploads what a tool found on the oldest Node that it says it runs on', async () => {
  const place = join(folder, 'old-node')
  mkdirSync(join(place, 'src'), { recursive: true })
  writeFileSync(join(place, 'later.mjs'), withoutLaterBuiltIns)
  writeFileSync(join(place, 'src/a.js'), 'eval(code)\n')
  const location = { artifactLocation: { uri: `file://${place}/src/a.js` }, region: { startLine: 1 } }
  const message = { text: `eval is used in ${place}/src/a.js` }
  const results = [{ ruleId: 'no-eval', message, locations: [{ physicalLocation: location }] }]
  const log = { version: '2.1.0', runs: [{ tool: { driver: { name: 'ESLint' } }, results }] }
  writeFileSync(join(place, 'eslint.sarif'), JSON.stringify(log))
  writeFileSync(join(place, 'package-lock.json'), packageLock({ lodash: '4.17.20' }))
  const env = { ...environment(), NODE_OPTIONS: `--import=${join(place, 'later.mjs')}` }
  const options = ['--repository', 'client/two', '--ref', 'main', '--json']
  const { stdout } = await run(join(folder, 'installed/bin/gatehouse'), ['scan', '.', ...options], { env, cwd: place })
  const read = JSON.parse(stdout).files.map((file: { path: string; findings: { total: number } }) => [
    file.path,
    file.findings.total,
  ])
  assert.deepEqual(read, [
    ['eslint.sarif', 1],
    ['package-lock.json', 0],
  ])
})

/** A file, and what it imports other than by a call of `import()`. */
function loadedAtOnce(place: string, name: string, known = new Set<string>()): string[] {
  if (known.has(name)) return [...known]
  known.add(name)
  const text = readFileSync(join(place, name), 'utf8')
  for (const [, next] of text.matchAll(/(?:from|import)"\.\/([^"]+)"/g)) loadedAtOnce(place, next!, known)
  return [...known]
}

function sizeIn(place: string, name: string): number {
  return statSync(join(place, name)).size
}

test('the package is handed out once to those who have it', async () => {
  const first = await fetch(`${gatehouse.url}/cli.tgz`)
  assert.deepEqual([first.status, first.headers.get('content-type')], [200, 'application/gzip'])
  const again = await fetch(`${gatehouse.url}/cli.tgz`, { headers: { 'if-none-match': first.headers.get('etag')! } })
  assert.equal(again.status, 304)
})

test('what a client calls our host is never a part of the script unless it is a host', async () => {
  const request = http.get(`${gatehouse.url}/install.sh`, { headers: { host: "a';id;'" }, agent: false })
  const [response] = await once(request, 'response')
  response.resume()
  assert.equal(response.statusCode, 400)
})
