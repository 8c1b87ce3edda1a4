import { type Profiler, Session } from 'node:inspector'

/** A stretch of time by the monotonic clock, in microseconds. */
export type Stretch = { from: number; to: number }

const sampleMicroseconds = 5_000

/** Microseconds of the clock that profiles go by. */
export function now(): number {
  return Number(process.hrtime.bigint() / 1000n)
}

/** Looks every few milliseconds what the thread is doing, for as long as the process lives: one for all that is watched in it. */
export function startProfile() {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.setSamplingInterval', { interval: sampleMicroseconds })
  session.post('Profiler.start')

  /** What was seen so far; it begins anew with that. */
  function take(): Profiler.Profile {
    let taken: Profiler.Profile | undefined
    session.post('Profiler.stop', (error, result) => {
      if (error) throw error
      taken = result.profile
    })
    session.post('Profiler.start')
    return taken!
  }

  return { take }
}

/**
 * How much of what the thread did in a stretch it did for the product, from 0 to 1: what runs source or a dependency, and was not
 * called by a test, which is the client, the outside world and the judge in the same thread. All of it where nothing was seen, and nothing
 * where Node alone was, clearing up memory that both have used. `mostly` is the part of the product that was seen most often.
 */
export function productShare({ nodes, samples = [], timeDeltas = [], startTime }: Profiler.Profile, stretch: Stretch) {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  let [product, test, seen] = [0, 0, 0]
  const parts = new Map<string, number>()
  let at = startTime
  for (const [place, id] of samples.entries()) {
    at += timeDeltas[place]!
    if (at < stretch.from || at > stretch.to) continue
    seen++
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
  const [most] = [...parts].sort((a, b) => b[1] - a[1])
  const share = seen === 0 ? 1 : product / Math.max(1, product + test)
  return { share, mostly: most?.[0] ?? 'nothing that was seen' }
}

type Side = 'product' | 'test' | 'neither'

function sideOf(url: string): Side {
  if (/\/test\/|\.test\.ts$|\/src\/sandbox\/|\/node_modules\/playwright-core\//.test(url)) return 'test'
  return /\/(src|node_modules)\//.test(url) ? 'product' : 'neither'
}
