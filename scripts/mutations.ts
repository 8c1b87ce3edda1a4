import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startTestCluster } from '../test/cluster.ts'
import { type ListedMutation, readMutations } from '../test/mutation-lists.ts'
import type { Mutation } from '../test/mutations/mutation.ts'
import { makeCopy, tryMutation, tryTest, type Verdict } from './testing/mutated-copy.ts'
import { openJournal } from './testing/mutation-journal.ts'

/**
 * `npm run test:mutations`: takes out each listed protection, one at a time, in a copy of the source, and expects the tests
 * named with it to fail. Words narrow it down to mutations with one of them in their id, list, file or tests.
 * `--journal FILE` goes on where an earlier run ended, `--minutes N` ends after about so long.
 * Ends with 1 if a protection can be taken out unnoticed, with 2 if there is more to do.
 */
const atOnce = 2
const { values: options, positionals: words } = parseArgs({
  allowPositionals: true,
  options: { journal: { type: 'string' }, minutes: { type: 'string' } },
})
const endsAt = options.minutes ? Date.now() + Number(options.minutes) * 60_000 : Number.POSITIVE_INFINITY
const journal = openJournal(options.journal)
const chosen = (await readMutations()).filter(isWanted)
if (chosen.length === 0) fail('No mutation has any of these words in its id, list, file or tests.')
const verdicts = new Map<ListedMutation, Verdict>()
for (const mutation of chosen) {
  const known = journal.ofMutation(mutation)
  if (known) verdicts.set(mutation, known)
}
if (verdicts.size < chosen.length) await runRest()
printTable()
const states = [...verdicts.values()].map(({ state }) => state)
const unnoticed = states.filter((state) => state !== 'red').length
const rest = chosen.length - states.length
console.log(`${states.length - unnoticed} noticed, ${unnoticed} not${rest > 0 ? `, ${rest} still to be tried` : ''}`)
process.exit(unnoticed > 0 ? 1 : rest > 0 ? 2 : 0)

async function runRest(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-mutations-'))
  const cluster = await startTestCluster(folder)
  const env = {
    ...process.env,
    GATEHOUSE_TEST_CLUSTER: JSON.stringify(cluster.connection),
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(folder, 'compiled'),
  }
  // Those with the same tests follow one another, so that each test file runs without an edit shortly before.
  const waiting = chosen.filter((mutation) => !verdicts.has(mutation)).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  try {
    await Promise.all(
      Array.from({ length: atOnce }, async (_, at) => {
        const copy = makeCopy(join(folder, `copy-${at}`))
        while (waiting.length > 0 && Date.now() < endsAt) {
          const mutation = waiting.shift()!
          const verdict = journal.noteMutation(mutation, await judge(copy, mutation, env))
          verdicts.set(mutation, verdict)
          console.log(`${verdict.state === 'red' ? '✔' : '✖'} ${mutation.id}: ${verdict.state}, ${verdict.why}`)
        }
      }),
    )
  } finally {
    await cluster.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A test that fails without any edit says nothing about one. */
async function judge(copy: string, mutation: Mutation, usual: NodeJS.ProcessEnv): Promise<Verdict> {
  const env = mutation.deep ? { ...usual, GATEHOUSE_DEEP: '1' } : usual
  for (const file of mutation.tests) {
    const { state, why } = journal.ofTest(file) ?? journal.noteTest(file, await tryTest(copy, file, env))
    if (state !== 'green') return { state: 'invalid', why: `without the edit: ${file}: ${why}` }
  }
  return tryMutation(copy, mutation, env)
}

function keyOf({ tests, id }: Mutation): string {
  return JSON.stringify([tests, id])
}

function isWanted({ id, list, file, tests }: ListedMutation): boolean {
  return words.length === 0 || words.some((word) => [id, list, file, ...tests].some((text) => text.includes(word)))
}

function printTable(): void {
  const sorted = [...verdicts].sort(([a], [b]) => (a.id < b.id ? -1 : 1))
  const width = Math.max(...sorted.map(([{ id }]) => id.length))
  console.log()
  for (const [{ id, protection }, { state }] of sorted) {
    console.log(`${id.padEnd(width)}  ${state.padEnd(7)}  ${protection}`)
  }
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
