import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contracts } from '../src/compose/contracts.ts'
import { type Examples, recordedExamples } from '../src/http/reference/examples.ts'
import { problemsOf, worth } from '../test/example.ts'
import { compactJson } from './compact-json.ts'

/**
 * `npm run examples`: runs the tests and records an example for each operation that has none, or one that no longer fits
 * its contract. The others stay as they are, so that nothing changes without need. Arguments narrow the tests down, as
 * those of `npm test` do; `npm run examples -- again teams` records what these tests call once more.
 */
const root = join(import.meta.dirname, '..')
const given = process.argv.slice(2)
const again = given[0] === 'again'
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-examples-'))
try {
  spawnSync(process.execPath, [join(root, 'scripts/test.ts'), ...given.slice(again ? 1 : 0)], {
    stdio: 'inherit',
    env: { ...process.env, GATEHOUSE_RECORD_EXAMPLES: folder },
  })
  const seen = globSync('*.json', { cwd: folder }).map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')))
  writeFileSync(join(root, 'src/http/reference/examples.json'), `${compactJson(merged(seen), 1)}\n`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function merged(seen: Examples[]): Examples {
  const result: Examples = {}
  for (const contract of [...contracts].sort((a, b) => (a.id < b.id ? -1 : 1))) {
    const known = recordedExamples[contract.id]
    const news = seen.flatMap((each) => each[contract.id] ?? []).sort((a, b) => worth(a) - worth(b))
    const candidates = again ? [...news, known] : [known, ...news]
    const chosen = candidates.find((example) => example && problemsOf(contract, example).length === 0)
    if (chosen) result[contract.id] = chosen
    else console.log(`no example of ${contract.id}`)
  }
  return result
}
