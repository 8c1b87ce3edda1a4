import { type Benchmark, median } from './figure.ts'
import { removeFolder, startServer } from './server.ts'

/** From the start of the process to ready, with data that exists already. */
export const benchmark: Benchmark = {
  name: 'start',
  async run() {
    const first = await startServer()
    await first.stop()
    const times: number[] = []
    for (let round = 0; round < 5; round++) {
      const server = await startServer(first.folder)
      times.push(server.readyMs)
      await server.stop()
    }
    removeFolder(first.folder)
    return [
      { name: 'first start', value: first.readyMs / 1000, unit: 's' },
      { name: 'start with existing data', value: median(times) / 1000, unit: 's', limit: { atMost: 2 } },
    ]
  },
}
