import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { contracts } from '../src/compose/contracts.ts'
import type { Example } from '../src/http/reference/examples.ts'
import type { Endpoint } from '../src/kernel/contract/endpoint.ts'
import { exampleOf, type Made, patternOf, worth } from './example.ts'

const folder = process.env.GATEHOUSE_RECORD_EXAMPLES
const best = new Map<string, Example>()
const patterns = contracts.map((contract) => ({ contract, pattern: patternOf(contract) }))

if (folder) {
  // Every test file is a process of its own.
  process.on('exit', () => {
    if (best.size > 0) writeFileSync(join(folder, `${process.pid}.json`), JSON.stringify(Object.fromEntries(best)))
  })
}

/** Keeps a call that went well as an example of its operation, where it is a better one than those before. */
export function recordCall(made: Made): void {
  if (!folder) return
  const contract = contractOf(made.method, made.url)
  const example = contract && exampleOf(contract, made)
  if (!example) return
  const known = best.get(contract.id)
  if (!known || worth(example) < worth(known)) best.set(contract.id, example)
}

/** A word in the path is meant before a parameter that would take it. */
function contractOf(method: string, url: string): Endpoint | undefined {
  const path = url.split('?')[0]!
  const fitting = patterns.filter(({ contract, pattern }) => contract.method === method && pattern.test(path))
  const parameters = (contract: Endpoint) => contract.path.split(':').length
  return fitting.sort((a, b) => parameters(a.contract) - parameters(b.contract))[0]?.contract
}
