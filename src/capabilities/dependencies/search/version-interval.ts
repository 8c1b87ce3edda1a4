import type { Ecosystem } from '../../../ecosystems/ecosystem.ts'
import { parseBound } from '../../../ecosystems/version-range.ts'
import type { Interval } from '../../inventory/public.ts'

// Keys are made of parts that start with marks; none has sixteen of the highest in a row.
export const everyVersion: Interval = { lower: Buffer.alloc(0), upper: Buffer.alloc(16, 0xff) }

export function equalTo(ecosystem: Ecosystem, version: string): Interval {
  const key = Buffer.from(ecosystem.orderKey(version))
  return { lower: key, upper: after(key) }
}

export function intersect(a: Interval, b: Interval): Interval {
  return {
    lower: Buffer.compare(a.lower, b.lower) >= 0 ? a.lower : b.lower,
    upper: Buffer.compare(a.upper, b.upper) <= 0 ? a.upper : b.upper,
  }
}

export function isEmpty({ lower, upper }: Interval): boolean {
  return Buffer.compare(lower, upper) >= 0
}

export type OneSide = { interval: Interval } | { problem: string } | 'unreadable'

// A filter without an ecosystem has its bounds read by all of them, and comes again with every page that is asked for.
const remembered = new Map<string, OneSide>()
const mostRemembered = 5_000
const longestRemembered = 64

/** What one bound leaves open on its other side. 'unreadable': in this ecosystem it is not a version, so nothing is beside it. */
export function oneSide(ecosystem: Ecosystem, side: 'lower' | 'upper', text: string): OneSide {
  if (text.length > longestRemembered) return readSide(ecosystem, side, text)
  const key = `${ecosystem.id} ${side} ${text}`
  const known = remembered.get(key)
  if (known) return known
  if (remembered.size === mostRemembered) remembered.clear()
  const read = readSide(ecosystem, side, text)
  remembered.set(key, read)
  return read
}

function readSide(ecosystem: Ecosystem, side: 'lower' | 'upper', text: string): OneSide {
  const parsed = parseBound(ecosystem, side, text)
  if (parsed === 'unreadable' || 'problem' in parsed) return parsed
  const { inclusive } = parsed.bound
  const key = Buffer.from(parsed.bound.key)
  if (side === 'lower') return { interval: { ...everyVersion, lower: inclusive ? key : after(key) } }
  return { interval: { ...everyVersion, upper: inclusive ? after(key) : key } }
}

/** The next key there can be. */
function after(key: Buffer): Buffer {
  return Buffer.concat([key, Buffer.alloc(1)])
}
