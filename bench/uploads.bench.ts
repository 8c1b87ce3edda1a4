import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { type Benchmark, type Figure, median } from './figure.ts'
import { byTurns, openUploads, send, timed } from './peers/against-copy.ts'
import { type BenchServer, removeFolder, startServer } from './server.ts'

const sbomBytes = 100 * 1024 * 1024

/** A lockfile of 2,000 packages against a COPY of the rows it becomes; a 100 MiB bill of materials beside other requests. */
export const benchmark: Benchmark = {
  name: 'uploads',
  async run() {
    const server = await startServer()
    try {
      return [await againstCopy(server), ...(await largeDocument(server))]
    } finally {
      await server.stop()
      removeFolder(server.folder)
    }
  },
}

async function againstCopy(server: BenchServer): Promise<Figure> {
  const { upload, copy, close } = await openUploads(server)
  const [uploadMs = 0, copyMs = 0] = await byTurns(upload, copy)
  await close()
  return {
    name: 'upload of a lockfile of 2,000 packages, against COPY of its rows',
    value: uploadMs / copyMs,
    unit: 'times its time',
    limit: { atMost: 5 },
    detail: `${uploadMs.toFixed(0)} ms against ${copyMs.toFixed(0)} ms`,
  }
}

/** CycloneDX of 100 MiB, made while it is sent. */
function largeSbom(): ReadableStream {
  let sent = 0
  let n = 0
  return new ReadableStream({
    pull(controller) {
      if (sent === 0)
        controller.enqueue(bytes('{"bomFormat":"CycloneDX","specVersion":"1.5","version":1,"components":['))
      let text = ''
      while (text.length < 65_536 && sent + text.length < sbomBytes) {
        const name = `component-${n % 40_000}`
        const version = `${1 + (n % 3)}.${n % 17}.0`
        const more = 'Lorem ipsum dolor sit amet, consectetur adipiscing elit. '.repeat(9)
        text += `${n ? ',' : ''}{"type":"library","bom-ref":"r${n}","name":"${name}","version":"${version}","purl":"pkg:npm/${name}@${version}?n=${n}","description":"${more}","licenses":[{"license":{"id":"MIT"}}]}`
        n++
      }
      sent += text.length
      if (text) controller.enqueue(bytes(text))
      if (sent >= sbomBytes) {
        controller.enqueue(bytes(']}'))
        controller.close()
      }
    },
  })
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

async function largeDocument(server: BenchServer): Promise<Figure[]> {
  const idle = residentMiB(server)
  let peak = idle
  let done = false
  const times: number[] = []
  const headers = { authorization: `Bearer ${server.token}` }
  const watching = (async () => {
    while (!done) {
      peak = Math.max(peak, residentMiB(server))
      times.push(
        await timed(async () =>
          (await fetch(`${server.url}/api/agent/deployments/${server.deploymentId}/ruleboards`, { headers })).text(),
        ),
      )
      await delay(20)
    }
  })()
  const took = await timed(() => send(server, 'bench/large', largeSbom()))
  done = true
  await watching
  const sorted = times.toSorted((a, b) => a - b)
  return [
    {
      name: 'a 100 MiB bill of materials, memory above idle',
      value: peak - idle,
      unit: 'MiB',
      limit: { atMost: 512 },
      detail: `in ${(took / 1000).toFixed(1)} s`,
    },
    {
      name: 'other requests meanwhile, 99th percentile',
      value: sorted[Math.floor(sorted.length * 0.99)]!,
      unit: 'ms',
      limit: { atMost: 100 },
      detail: `${times.length} requests, median ${median(times).toFixed(1)} ms`,
    },
  ]
}

function residentMiB(server: BenchServer): number {
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1024
}
