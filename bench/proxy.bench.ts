import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { npmClientUpstream } from '../src/proxy/upstream/clients/npm-client.ts'
import { type NpmRegistrySandbox, startNpmRegistry } from '../src/sandbox/registries/npm-registry.ts'
import { everyKindOfRule } from './every-rule.ts'
import { type Benchmark, type Figure, median } from './figure.ts'
import { startVerdaccio } from './peers/verdaccio.ts'
import { type BenchServer, removeFolder, startServer } from './server.ts'

const rounds = 3
/** Both get faster for about ten seconds, as their engine learns what they do; a server in use is past that. */
const warmUps = 3
const seconds = 3
const run = promisify(execFile)

/** The npm adapter: what is cached against Verdaccio, same machine and upstream; what is not, against no proxy at all. */
export const benchmark: Benchmark = {
  name: 'proxy',
  async run() {
    const feed = makeFeed()
    try {
      return [...(await cached(feed)), ...(await cold(feed))]
    } finally {
      rmSync(feed, { recursive: true, force: true })
    }
  },
}

/** One advisory is enough for a verdict on everything else. */
function makeFeed(): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-feed-'))
  const affected = [{ package: { ecosystem: 'npm', name: 'malicious' }, versions: ['1.0.0'] }]
  const record = { schema_version: '1.7.0', id: 'MAL-2026-1', modified: '2026-01-01T00:00:00Z', affected }
  mkdirSync(join(folder, 'osv'))
  writeFileSync(join(folder, 'osv', 'MAL-2026-1.json'), JSON.stringify(record))
  return folder
}

async function cached(feed: string): Promise<Figure[]> {
  const registry = await startNpmRegistry()
  fill(registry)
  const server = await startServer(undefined, { GATEHOUSE_FEED: feed, GATEHOUSE_NPM_UPSTREAM: registry.url })
  const verdaccio = await startVerdaccio(registry.url)
  try {
    const base = `${server.url}/firewall/${server.deploymentId}/npm`
    await untilServed(`${base}/large/-/large-1.0.0.tgz`, server)
    const compare = (name: string, path: string, atLeast: number) =>
      against(name, [`${base}/${path}`, `authorization: Bearer ${server.token}`], [`${verdaccio.url}/${path}`], atLeast)
    const both = async (rules: string) => [
      await compare(`cached metadata, 165 kB${rules}`, 'large', 20),
      await compare(`cached tarballs, small${rules}`, 'large/-/large-1.0.0.tgz', 4),
    ]
    const plain = await both('')
    await putEveryRule(server)
    return [...plain, ...(await both(', all rules on'))]
  } finally {
    await verdaccio.stop()
    await server.stop()
    await registry.close()
    removeFolder(server.folder)
  }
}

function fill(registry: NpmRegistrySandbox): void {
  const dependencies = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`dependency-${n}`, '^1.0.0']))
  for (let n = 0; n < 260; n++) registry.publish({ name: 'large', version: `1.${n}.0`, dependencies })
}

async function untilServed(url: string, server: BenchServer): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const answer = await fetch(url, { headers: { authorization: `Bearer ${server.token}` } })
    await answer.arrayBuffer()
    if (answer.ok) return
    await delay(100)
  }
  throw new Error('the firewall stays closed: no advisories')
}

/** In force when a name that one of them keeps out is refused. */
async function putEveryRule({ url, token, deploymentId }: BenchServer): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ mode: 'enforce', rules: everyKindOfRule().map(({ id: _, ...rule }) => rule) })
  const put = await fetch(`${url}/api/firewall/v1/deployments/${deploymentId}/rules`, { method: 'PUT', headers, body })
  if (!put.ok) throw new Error(`the rules are refused: ${await put.text()}`)
  for (let tries = 0; tries < 300; tries++) {
    const answer = await fetch(`${url}/firewall/${deploymentId}/npm/@scope-0%2fany`, { headers })
    await answer.arrayBuffer()
    if (answer.status === 403) return
    await delay(100)
  }
  throw new Error('the rules are not in force')
}

type Asked = [url: string, ...headers: string[]]

async function against(name: string, ours: Asked, theirs: Asked, atLeast: number): Promise<Figure> {
  const pairs: [number, number][] = []
  for (let round = 0; round < warmUps + rounds; round++) pairs.push([await rateOf(ours), await rateOf(theirs)])
  const measured = pairs.slice(warmUps)
  const detail = `${Math.round(median(measured.map(([rate]) => rate)))} a second against ${Math.round(median(measured.map(([, rate]) => rate)))}`
  const value = median(measured.map(([rate, peer]) => rate / peer))
  return { name: `${name}, against Verdaccio`, value, unit: 'times its rate', limit: { atLeast }, detail }
}

async function rateOf([url, ...headers]: Asked): Promise<number> {
  const script = join(import.meta.dirname, 'load.ts')
  const { stdout } = await run(process.execPath, [script, url, String(seconds), '16', ...headers])
  const { rate, wrong } = JSON.parse(stdout) as { rate: number; wrong: string }
  if (wrong) throw new Error(`${url}: ${wrong}`)
  return rate
}

/** A real tree, with nothing cached anywhere, by way of us and without. */
async function cold(feed: string): Promise<Figure[]> {
  const { url } = await npmClientUpstream()
  const isThere = await fetch(`${url}express`, { signal: AbortSignal.timeout(15_000) }).catch(() => undefined)
  await isThere?.body?.cancel()
  if (!isThere?.ok) return []
  const pairs: [number, number][] = []
  for (let round = 0; round < rounds; round++) {
    const server = await startServer(undefined, { GATEHOUSE_FEED: feed })
    try {
      const registry = `${server.url}/firewall/${server.deploymentId}/npm/`
      const token = `${registry.replace(/^http:/, '')}:_authToken=${server.token}`
      await untilServed(`${registry}ms/-/ms-2.0.0.tgz`, server)
      pairs.push([await install(`registry=${registry}\n${token}\n`), await install(`registry=${url}\n`)])
    } finally {
      await server.stop()
      removeFolder(server.folder)
    }
  }
  const detail = pairs.map(([ours, direct]) => `${Math.round(ours)} against ${Math.round(direct)} ms`).join(', ')
  const value = median(pairs.map(([ours, direct]) => ours / direct))
  return [{ name: 'npm install, nothing cached', value, unit: 'times without us', limit: { atMost: 1.2 }, detail }]
}

async function install(npmrc: string): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-install-'))
  const dependencies = { express: '^4.18.0', chalk: '^4.1.0', '@babel/code-frame': '^7.0.0', semver: '^7.0.0' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'project', version: '1.0.0', dependencies }))
  writeFileSync(join(folder, '.npmrc'), `${npmrc}audit=false\nfund=false\ncache=${join(folder, 'cache')}\n`)
  const startedAt = performance.now()
  await run('npm', ['install', '--ignore-scripts'], { cwd: folder })
  const ms = performance.now() - startedAt
  rmSync(folder, { recursive: true, force: true })
  return ms
}
