import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { startNpmRegistry } from '../src/sandbox/registries/npm-registry.ts'
import { deepOnly } from './depth.ts'

const wanted = 30_000
const kills = Math.round(wanted / 800)
const clients = 16
const packages = 60

const skip = deepOnly('another process is killed while it serves packages')

test('killed at random while it serves many, it never serves a wrong byte', { skip }, async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-killed-'))
  const registry = await startNpmRegistry()
  for (let i = 0; i < packages; i++) {
    // Some stay in memory, some go by way of a file.
    const files = i % 6 === 0 ? { 'package/large': noise(i + 1, 700_000) } : {}
    registry.publish({ name: `package-${i}`, version: '1.0.0', files })
  }
  let server = await start(folder, registry.url)
  t.after(async () => {
    await kill(server.child)
    await registry.close()
    rmSync(folder, { recursive: true, force: true })
  })

  let right = 0
  let killed = 0
  const wrong: string[] = []
  async function client(number: number): Promise<void> {
    for (let round = number; right < wanted && wrong.length === 0; round += 7) {
      const name = `package-${round % packages}`
      const path = `/${name}/-/${name}-1.0.0.tgz`
      const answer = await ask(`${server.url}/firewall/1/npm${path}`)
      if (!answer) {
        await server.ready
        continue
      }
      const promised = createHash('sha1').update(registry.tarballs.get(path)!).digest('hex')
      if (answer.status === 200 && answer.sha1 === promised) right++
      else if (answer.status === 200) wrong.push(`${name}: other bytes`)
      else wrong.push(`${name}: ${answer.status}`)
    }
  }
  async function killer(): Promise<void> {
    while (killed < kills && right < wanted) {
      const until = right + 1 + Math.floor(Math.random() * (wanted / kills) * 0.9)
      while (right < until && wrong.length === 0) await new Promise((resolve) => setImmediate(resolve))
      if (wrong.length > 0) return
      await kill(server.child)
      killed++
      const starting = start(folder, registry.url)
      server = { ...server, ready: starting.then(() => undefined) }
      server = await starting
    }
  }
  await Promise.all([killer(), ...Array.from({ length: clients }, (_, number) => client(number))])
  assert.deepEqual(wrong, [])
  assert.ok(right >= wanted)
  assert.equal(killed, kills)
  assert.ok(globSync('packages/artifacts/**/*', { cwd: folder }).length > 0)
})

type Server = { child: ChildProcess; url: string; ready: Promise<void> }

async function start(folder: string, upstream: string): Promise<Server> {
  const script = join(import.meta.dirname, 'servers', 'proxy-process.ts')
  const child = spawn(process.execPath, [script, folder, upstream, String(8 * 1024 ** 2)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: child.stdout! })) {
    if (line.startsWith('http')) return { child, url: line, ready: Promise.resolve() }
  }
  throw new Error('the proxy did not start')
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}

/** Undefined where the process was killed meanwhile. */
async function ask(url: string): Promise<{ status: number; sha1: string } | undefined> {
  try {
    const response = await fetch(url, { headers: { authorization: 'Bearer x' } })
    const content = Buffer.from(await response.arrayBuffer())
    return { status: response.status, sha1: createHash('sha1').update(content).digest('hex') }
  } catch {
    return undefined
  }
}

function noise(seed: number, length: number): string {
  let text = ''
  for (let i = 0, x = seed; i < length; i++) {
    x = (x * 48_271) % 2_147_483_647
    text += String.fromCharCode(33 + (x % 94))
  }
  return text
}
