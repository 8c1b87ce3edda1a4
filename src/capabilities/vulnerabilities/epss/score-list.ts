import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { FeedRefused } from '../../../feeds/replace-records.ts'
import { quote } from '../../../formats/problem.ts'

export type EpssScore = { cve: string; probability: number; percentile: number }

/** FIRST's has some 300,000 lines and 10 MiB. */
const mostBytes = 256 * 1024 * 1024

/** A list that lies on this machine, packed by gzip or not. */
export function readScoreFile(path: string, limitBytes = mostBytes): Map<string, EpssScore> {
  const bytes = readFileSync(path)
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b
  try {
    return readScores((isPacked ? gunzipSync(bytes, { maxOutputLength: limitBytes }) : bytes).toString('utf8'))
  } catch (error) {
    if (error instanceof FeedRefused) throw error
    throw new FeedRefused(`The list cannot be unpacked: ${quote((error as Error).message, 200)}.`)
  }
}

/**
 * The scores of a list in the format of FIRST's EPSS: comments, `cve,epss,percentile`, then a line for each vulnerability. Throws
 * what is wrong with it.
 */
export function readScores(text: string): Map<string, EpssScore> {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  const head = lines.findIndex((line) => !line.startsWith('#'))
  if (lines[head]?.trim() !== 'cve,epss,percentile')
    throw new FeedRefused('The list has no line `cve,epss,percentile` before its scores.')
  const scores = new Map<string, EpssScore>()
  for (const [at, line] of lines.entries()) {
    if (at <= head || line === '') continue
    const [cve = '', probability, percentile, ...others] = line.split(',')
    const score = { cve, probability: share(probability), percentile: share(percentile) }
    const isWhole = Number.isFinite(score.probability + score.percentile) && others.length === 0
    if (!isWhole || !/^CVE-\d{4}-\d{4,19}$/.test(cve))
      throw new FeedRefused(`The list is corrupt: line ${at + 1} is ${quote(line, 100)}.`)
    scores.set(cve, score)
  }
  if (scores.size === 0) throw new FeedRefused('The list has no scores.')
  return scores
}

/** NaN where it is not a number from 0 to 1. */
function share(text = ''): number {
  const value = /^(?:[01]|[01]?\.\d{1,20}|\d(?:\.\d{1,20})?e-\d{1,2})$/i.test(text) ? Number(text) : Number.NaN
  return value <= 1 ? value : Number.NaN
}
