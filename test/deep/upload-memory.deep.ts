import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { asBomb, asDocument, asForm, documents, type LargeUpload } from '../large-uploads.ts'
import { dataFolder, startServer } from '../servers/real-process.ts'
import { watchMemory } from '../watching/process-memory.ts'

const mebibyte = 1024 ** 2
const limit = 1024 * mebibyte
/** As large as an upload may be, and sizes at which more of it is kept before it is too much. */
const sizes = [20, 60, 1023].map((count) => count * mebibyte)
const skip = existsSync('/proc/self/smaps_rollup') ? false : 'how much memory processes share is read in /proc'

/**
 * The real server with its own PostgreSQL, told that it has 1 GiB. What both have together is measured: a limit around them
 * would end one of them in place of saying by how much it is too much.
 */
test('1 GiB is enough for the largest uploads of each kind, alone and all at once', {
  skip,
  timeout: 4 * 3_600_000,
}, async (t) => {
  const server = await startServer({ GATEHOUSE_DATA: dataFolder(t), GATEHOUSE_MEMORY_BYTES: String(limit) })

  async function send({ query, headers, body }: LargeUpload): Promise<string> {
    const url = `${server.url}/api/scans/v1/deployments/1/scans${query}`
    const authorization = `Bearer ${server.welcome.token}`
    const sending = { method: 'POST', headers: { authorization, ...headers }, body: body(), duplex: 'half' }
    const response = await fetch(url, sending as unknown as RequestInit)
    const { detail = '', errors = [] } = (await response.json()) as { detail?: string; errors?: unknown[] }
    return `${response.status} ${detail} ${JSON.stringify(errors)}`
  }

  async function holds(what: string, uploads: LargeUpload[]): Promise<void> {
    const memory = watchMemory(server.pid)
    const answers = await Promise.all(uploads.map(send))
    const { serverBytes, togetherBytes } = memory.end()
    const figures = `server ${Math.round(serverBytes / mebibyte)} MiB, together ${Math.round(togetherBytes / mebibyte)} MiB`
    t.diagnostic(`${what}: ${figures}; ${[...new Set(answers)].join(' | ').slice(0, 500)}`)
    // Taken, or refused with a sentence; what was waited for too long is told to come again.
    for (const answer of answers) assert.match(answer, /^(200|408|413|422|503) /, what)
    assert.ok(togetherBytes < limit, `${what}: ${figures}`)
    assert.equal(server.child.exitCode, null)
  }

  await holds('a bomb', [asBomb('bomb')])
  for (const bytes of sizes) {
    const named = (kind: string) => `${kind.replace(/\W+/g, '-')}-${bytes}`
    const form = asForm(`form-${bytes}`, 10_000, bytes)
    for (const kind of Object.keys(documents)) {
      await holds(`${kind}, ${bytes / mebibyte} MiB`, [asDocument(kind, named(kind), bytes)])
    }
    await holds(`10,000 files, ${bytes / mebibyte} MiB`, [form])
    const all = Object.keys(documents).map((kind) => asDocument(kind, `all-${named(kind)}`, bytes))
    await holds(`all at once, ${bytes / mebibyte} MiB each`, [
      ...all,
      asForm(`all-form-${bytes}`, 10_000, bytes),
      asBomb('b'),
    ])
  }
  assert.equal((await server.call('GET', '/api/readiness-check')).status, 200)
})
