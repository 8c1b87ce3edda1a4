import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createOutbound } from '../outbound/client/client.ts'
import { download } from './download.ts'

test('a download leaves the reserve of the disk free, and says where there is no room', async (t) => {
  const server = createServer((_request, response) => void response.end('all of it'))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const outbound = createOutbound({ allow: '127.0.0.1' })
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-download-'))
  t.after(async () => {
    await outbound.close()
    server.close()
    rmSync(folder, { recursive: true })
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/all.zip`
  await assert.rejects(download(outbound, url, '', { folder, reserveBytes: 2 ** 50 }), ({ message }: Error) => {
    assert.ok(message.startsWith(`the disk of '${folder}' has `) && message.includes('keeps 1073741824 MiB'), message)
    return true
  })
  assert.deepEqual(readdirSync(folder), [])
  const done = await download(outbound, url, '', { folder, reserveBytes: 0 })
  assert.ok(done !== 'unchanged' && done.tag.startsWith('sha256 '))
  await done.remove()
})
