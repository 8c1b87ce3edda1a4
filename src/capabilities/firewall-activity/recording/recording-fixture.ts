import pino from 'pino'
import { plainVault } from '../../../../test/plain-vault.ts'
import type { ConnectionOptions } from '../../../kernel/database/connections/connection.ts'
import { createDatabase } from '../../../kernel/database/database.ts'
import { createRecorder } from './recorder.ts'

/** A process for a test to kill: records without end, some at a time, and says of each when it may be answered. */
const { connection, deploymentId, dataFolder, refused, clients } = JSON.parse(process.env.RECORDING!) as {
  connection: ConnectionOptions
  deploymentId: number
  dataFolder: string
  refused: boolean
  clients: number
}
const db = createDatabase(connection, plainVault)
const recorder = createRecorder({ db, clock: { now: () => new Date() }, log: pino({ level: 'silent' }), dataFolder })

async function record(client: number): Promise<void> {
  for (let i = 0; ; i++) {
    const event = { deploymentId, ecosystem: 'npm', name: `package-${i % 5}`, version: '1.0.0', personId: 1 } as const
    await recorder.record({ ...event, refused, advisoryId: refused ? 'MAL-1' : '', tokenId: client })
    await new Promise((resolve) => process.stdout.write('.', resolve))
  }
}

for (let client = 1; client <= clients; client++) void record(client)
