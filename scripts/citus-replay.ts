import { distribute } from '../test/citus/distribute.ts'
import { fillDatabases } from '../test/citus/filled-databases.ts'
import { startCitus, withoutCitus } from '../test/citus/nodes.ts'
import { recordedIn, replay } from '../test/citus/replay.ts'

/**
 * `npm run citus:replay -- FOLDER`: what tests recorded into the folder (`GATEHOUSE_RECORD_STATEMENTS=FOLDER npm test`), on the
 * coordinator of a distributed database with the demo's data. Prints every statement that ends otherwise than on a plain one
 * with the same data, or answers with other rows.
 */
const [folder] = process.argv.slice(2)
const shardCount = 4

if (!folder) fail('usage: npm run citus:replay -- FOLDER')
if (withoutCitus) fail(withoutCitus)
const statements = recordedIn(folder)
if (statements.length === 0) fail(`${folder} has no recorded statements`)

const nodes = await startCitus()
try {
  const { plain, copy } = await fillDatabases(nodes)
  await distribute(copy, shardCount)
  const differences = await replay(statements, plain, copy)
  for (const { statement, message, crashed } of differences) {
    console.log(`${crashed ? 'CRASHED' : 'FAILED'} ${statement.role}: ${message}\n${statement.text}\n`)
  }
  const crashes = differences.filter(({ crashed }) => crashed).length
  console.log(`${statements.length} statements, ${differences.length - crashes} failed, ${crashes} crashed`)
  process.exitCode = differences.length > 0 ? 1 : 0
} finally {
  await nodes.stop()
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
