import { createHash } from 'node:crypto'
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutation } from '../../test/mutations/mutation.ts'
import type { Verdict } from './mutated-copy.ts'

type Line = { of: string; on: string } & Verdict

const root = join(import.meta.dirname, '..', '..')

/**
 * What earlier runs found, a line of JSON each, so that a long run can be done in parts. A verdict counts while the edit, the
 * edited file and its tests are as they were; who changes anything else starts another journal.
 */
export function openJournal(path: string | undefined) {
  const found = new Map<string, Verdict>()
  if (path && existsSync(path)) {
    for (const text of readFileSync(path, 'utf8').split('\n').filter(Boolean)) {
      const { of, on, state, why } = JSON.parse(text) as Line
      found.set(`${of} ${on}`, { state, why })
    }
  }

  function note(of: string, on: string, verdict: Verdict): Verdict {
    found.set(`${of} ${on}`, verdict)
    if (path) appendFileSync(path, `${JSON.stringify({ of, on, ...verdict } satisfies Line)}\n`)
    return verdict
  }

  return {
    ofMutation: (mutation: Mutation) => found.get(`${mutation.id} ${stateOf(mutation)}`),
    noteMutation: (mutation: Mutation, verdict: Verdict) => note(mutation.id, stateOf(mutation), verdict),
    /** How a test file fares without any edit. */
    ofTest: (file: string) => found.get(`${file} ${digest([file])}`),
    noteTest: (file: string, verdict: Verdict) => note(file, digest([file]), verdict),
  }
}

function stateOf({ file, find, replace, tests }: Mutation): string {
  return digest([file, ...tests], find, replace)
}

function digest(files: string[], ...more: string[]): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(readFileSync(join(root, file)))
  return hash.update(JSON.stringify([files, more])).digest('hex')
}
