import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The folder of real-world documents that some tests read, or undefined where this checkout has none beside it.
 * GATEHOUSE_REAL_DATA names it; otherwise a `shared/data/unpack` beside the checkout lays it out.
 */
export function realData(): string | undefined {
  const named = process.env.GATEHOUSE_REAL_DATA
  if (named) return named
  const unpack = join(import.meta.dirname, '..', '..', 'shared', 'data', 'unpack')
  if (!existsSync(unpack)) return undefined
  return execFileSync(unpack, { encoding: 'utf8' }).trim()
}

export const withoutRealData = 'the real data is not beside this checkout (set GATEHOUSE_REAL_DATA)'
