import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestCluster } from '../test/cluster.ts'
import { type ListedMutation, readMutations } from '../test/mutation-lists.ts'
import { makeCopy, runTests, tryMutation, type Verdict } from './mutated-copy.ts'

/**
 * `npm run test:mutations`: takes out each listed protection, one at a time, in a copy of the source, and expects the tests
 * named with it to fail. Words narrow it down to mutations with one of them in their id, list, file or tests.
 * Ends with 1 if a protection can be taken out unnoticed.
 */
const atOnce = 2
const words = process.argv.slice(2)
const chosen = (await readMutations()).filter(isWanted)
if (chosen.length === 0) fail('No mutation has any of these words in its id, list, file or tests.')

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-mutations-'))
const cluster = await startTestCluster(folder)
const env = { ...process.env, GATEHOUSE_TEST_CLUSTER: JSON.stringify(cluster.connection) }
const verdicts: { mutation: ListedMutation; verdict: Verdict }[] = []
try {
  const copies = Array.from({ length: atOnce }, (_, at) => makeCopy(join(folder, `copy-${at}`)))
  const redBefore = await findRedBefore(copies)
  const waiting = [...chosen]
  await Promise.all(
    copies.map(async (copy) => {
      for (let mutation = waiting.shift(); mutation; mutation = waiting.shift()) {
        const bad = mutation.tests.filter((file) => redBefore.has(file))
        const verdict: Verdict =
          bad.length > 0
            ? { state: 'invalid', why: `red without the edit: ${bad.join(', ')}` }
            : await tryMutation(copy, mutation, env)
        verdicts.push({ mutation, verdict })
        console.log(`${verdict.state === 'red' ? '✔' : '✖'} ${mutation.id}: ${verdict.state}, ${verdict.why}`)
      }
    }),
  )
} finally {
  await cluster.stop()
  rmSync(folder, { recursive: true, force: true })
}
printTable()
const unnoticed = verdicts.filter(({ verdict }) => verdict.state !== 'red')
console.log(`${verdicts.length - unnoticed.length} noticed, ${unnoticed.length} not`)
process.exit(unnoticed.length > 0 ? 1 : 0)

function isWanted({ id, list, file, tests }: ListedMutation): boolean {
  return words.length === 0 || words.some((word) => [id, list, file, ...tests].some((text) => text.includes(word)))
}

/** A test that fails without any edit says nothing about one. */
async function findRedBefore(copies: string[]): Promise<Set<string>> {
  const waiting = [...new Set(chosen.flatMap(({ tests }) => tests))].sort()
  console.log(`${waiting.length} test files without any edit …`)
  const red = new Set<string>()
  await Promise.all(
    copies.map(async (copy) => {
      for (let file = waiting.shift(); file; file = waiting.shift()) {
        const { failed, crashed, passed } = await runTests(copy, [file], env)
        if (failed.length + crashed.length === 0 && passed > 0) continue
        red.add(file)
        console.log(`✖ ${file}: ${[...failed, ...crashed].join('; ') || 'no test ran'}`)
      }
    }),
  )
  return red
}

function printTable(): void {
  const sorted = verdicts.sort((a, b) => (a.mutation.id < b.mutation.id ? -1 : 1))
  const width = Math.max(...sorted.map(({ mutation }) => mutation.id.length))
  console.log()
  for (const { mutation, verdict } of sorted) {
    console.log(`${mutation.id.padEnd(width)}  ${verdict.state.padEnd(7)}  ${mutation.protection}`)
  }
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
