import { Client } from 'pg'
import { startEmbedded } from '../embedded.ts'
import { PostgresProblem } from '../problem.ts'

/**
 * A stand-in for Gatehouse, to be killed by tests: starts the database of the folder it is given, says so, and then
 * inserts number after number, printing each once its insert has been acknowledged. Ends in an orderly way on 'stop'.
 */
const say = (word: string, rest: unknown = '') => process.stdout.write(`${word} ${rest}\n`)

process.on('SIGINT', () => say('log', 'told to stop, but still draining'))

async function main(folder: string): Promise<void> {
  const database = await startEmbedded({ folder, log: (message) => say('log', message) })
  process.stdin.once('data', async () => {
    await database.stop()
    process.exit(0)
  })
  say('ready', database.connection.host)
  for (;;) await insertUntilItDies(database.connection)
}

async function insertUntilItDies(connection: object): Promise<void> {
  const client = new Client(connection)
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('create table if not exists acknowledged (n serial primary key)')
    for (;;) {
      const { rows } = await client.query('insert into acknowledged default values returning n')
      say('acknowledged', rows[0].n)
    }
  } catch {
    await client.end().catch(() => {})
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

main(process.argv[2]!).catch((error) => {
  say('problem', error instanceof PostgresProblem ? error.message : error.stack)
  process.exit(1)
})
