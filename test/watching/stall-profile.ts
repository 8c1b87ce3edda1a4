import { type Profiler, Session } from 'node:inspector'

/** A stretch of time by the monotonic clock, in microseconds. */
export type Stretch = { from: number; to: number }

/** Ten times in what is a stall. Each look costs what is looked at as well. */
const sampleMicroseconds = 20_000
/** Threads wait for their turn on a loaded machine, the one that looks as well. */
const mostBetweenSamples = 2 * sampleMicroseconds

/** Microseconds of the clock that profiles go by. */
export function now(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

/** Looks every few milliseconds what the thread is doing, for as long as the process lives: one for all that is watched in it. */
export function startProfile() {
  const session = new Session()
  const taken: Profiler.Profile[] = []
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.setSamplingInterval', { interval: sampleMicroseconds })
  session.post('Profiler.start')

  /** What was seen so far, in parts: it has to stop to tell. */
  function look(): Profiler.Profile[] {
    session.post('Profiler.stop', (error, result) => {
      if (error) throw error
      taken.push(result.profile)
    })
    session.post('Profiler.start')
    return taken
  }

  return { look }
}

/**
 * How long the thread was seen at work for the product in a stretch, which is what runs source or a dependency, and was not called
 * by a test: that is the client, the outside world and the judge in the same thread. Nothing where Node alone was seen, clearing up
 * memory that both have used. Where others who share the machine hold up its processor, the time goes on, and counts as used, but
 * nothing is seen meanwhile. `mostly` is the part of the product that was seen most often.
 */
export function seenOfProduct(profiles: Profiler.Profile[], stretch: Stretch) {
  let [product, test, seenMicroseconds] = [0, 0, 0]
  const parts = new Map<string, number>()
  for (const { nodes, samples = [], timeDeltas = [], startTime } of profiles) {
    const byId = new Map(nodes.map((node) => [node.id, node]))
    const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
    let at = startTime
    for (const [place, id] of samples.entries()) {
      at += timeDeltas[place]!
      if (at < stretch.from || at > stretch.to) continue
      seenMicroseconds += Math.min(timeDeltas[place]!, mostBetweenSamples)
      const whose = new Set<Side>()
      let part = ''
      for (let node = byId.get(id); node; node = byId.get(parents.get(node.id)!)) {
        const { url, functionName } = node.callFrame
        whose.add(sideOf(url))
        if (sideOf(url) === 'product') part ||= `${functionName} (${url.replace(/^.*\/(?=src\/|node_modules\/)/, '')})`
      }
      if (whose.has('test')) test++
      else if (whose.has('product')) {
        product++
        parts.set(part, (parts.get(part) ?? 0) + 1)
      }
    }
  }
  const [most] = [...parts].sort((a, b) => b[1] - a[1])
  const share = product / Math.max(1, product + test)
  return { share, seenMs: seenMicroseconds / 1000, mostly: most?.[0] ?? 'nothing' }
}

type Side = 'product' | 'test' | 'neither'

function sideOf(url: string): Side {
  if (/\/test\/|\.test\.ts$|\/src\/sandbox\/|\/node_modules\/playwright-core\//.test(url)) return 'test'
  return /\/(src|node_modules)\//.test(url) ? 'product' : 'neither'
}
