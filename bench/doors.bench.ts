import { byTurns, timed } from './against-copy.ts'
import type { Benchmark, Figure } from './figure.ts'
import { openPlainClient, postRequest } from './plain-client.ts'
import { type BenchServer, removeFolder, startServer } from './server.ts'

const components = 2_000
const variants = 5

/** The same bill of materials through each door of other products, against our own. */
export const benchmark: Benchmark = {
  name: 'doors',
  async run() {
    const server = await startServer()
    try {
      return [await dependencyTrack(server)]
    } finally {
      await server.stop()
      removeFolder(server.folder)
    }
  },
}

/** One of a few, so that packages and versions are known and the rows are new. */
function bill(variant: number): string {
  const all = Array.from({ length: components }, (_, n) => {
    const [name, version] = [`package-${n}`, `1.${variant}.${n % 7}`]
    const purl = `pkg:npm/${name}@${version}`
    return { type: 'library', 'bom-ref': purl, name, version, purl, licenses: [{ license: { id: 'MIT' } }] }
  })
  return JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components: all })
}

async function dependencyTrack(server: BenchServer): Promise<Figure> {
  const plain = await openPlainClient(server.url)
  const ours = (round: number) => {
    const path = `/api/scans/v1/deployments/${server.deploymentId}/scans/raw?repository=bench/own-${round}&ref=main&path=bom.json`
    const request = postRequest(server.url + path, server.token, bill(round % variants), 'application/octet-stream')
    return timed(() => plain.ask(request))
  }
  const theirs = (round: number) => {
    const bom = Buffer.from(bill(round % variants)).toString('base64')
    const body = JSON.stringify({ projectName: `bench/door-${round}`, projectVersion: 'main', autoCreate: true, bom })
    const request = postRequest(`${server.url}/api/v1/bom`, server.token, body, 'application/json')
    return timed(() => plain.ask(request))
  }
  const [own = 0, door = 0] = await byTurns(ours, theirs)
  plain.close()
  return {
    name: `bill of ${components} components as clients of Dependency-Track send it, against our own upload`,
    value: door / own,
    unit: 'times its time',
    limit: { atMost: 1.3 },
    detail: `${door.toFixed(0)} ms against ${own.toFixed(0)} ms`,
  }
}
