import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { Outbound } from '../outbound/client/client.ts'
import { closeArtifact, createArtifactSource } from './artifact-source.ts'
import { createArtifacts } from './cache/artifacts.ts'
import { createDisk } from './cache/disk.ts'
import { usualTimes } from './upstream/times.ts'
import type { Upstream } from './upstream/upstream.ts'

const chunkBytes = 64 * 1024

test('many artifacts of a registry that does not say how long they are all come through, some of them from their beginning again', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-source-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const maxBytes = 10_000_000
  const contents = Array.from({ length: 12 }, (_, n) => Buffer.alloc(3_000_000, `content ${n}`))
  let asked = 0
  async function* inTurns(content: Buffer): AsyncGenerator<Buffer> {
    for (let at = 0; at < content.length; at += chunkBytes) {
      yield content.subarray(at, at + chunkBytes)
      await setImmediate()
    }
  }
  const outbound = {
    stream: async ({ url }: { url: URL }) => {
      asked++
      return { status: 200, headers: {}, body: Readable.from(inTurns(contents[Number(url.pathname.slice(1))]!)) }
    },
  } as unknown as Outbound
  const upstream: Upstream = {
    registry: undefined,
    isPublic: true,
    partition: 'here',
    url: 'https://registry.example.com/',
    credentials: undefined,
    viaBroker: false,
    outbound,
    times: usualTimes,
    freshMs: 0,
    artifactHosts: [],
    isReferral: () => false,
  }
  const source = createArtifactSource(createArtifacts(createDisk({ folder, maxBytes, waitMs: 600_000 })), maxBytes)
  const came = await Promise.all(
    contents.map(async (content, n) => {
      const hex = createHash('sha512').update(content).digest('hex')
      const digest = { algorithm: 'sha512', hex } as const
      const wanted = { upstream, url: new URL(`/${n}`, upstream.url), digest, what: `artifact ${n}` }
      const artifact = await source.get(wanted, () => {})
      if (artifact) await closeArtifact(artifact)
      return artifact?.bytes
    }),
  )
  assert.deepEqual(came, Array(12).fill(3_000_000))
  assert.ok(asked > 12, `${asked} requests`)
})
