import { randomBytes } from 'node:crypto'
import { writeSync } from 'node:fs'
import pino from 'pino'
import type { ConnectionOptions } from '../../kernel/connection.ts'
import { createDatabase } from '../../kernel/database.ts'
import { createOnceVault } from '../../vault/once-vault.ts'
import { createRecorder } from './recorder.ts'

/** A process for a test to kill: refuses without end, some at a time, and says of each when it may be answered. */
const { connection, deploymentId } = JSON.parse(process.env.REFUSING!) as {
  connection: ConnectionOptions
  deploymentId: number
}
const db = createDatabase(connection, createOnceVault(randomBytes(32)))
const recorder = createRecorder({ db, clock: { now: () => new Date() }, log: pino({ level: 'silent' }) })

async function refuse(client: number): Promise<void> {
  for (let i = 0; ; i++) {
    const event = { deploymentId, ecosystem: 'npm', name: `evil-${i % 5}`, version: '1.0.0', personId: 1 } as const
    await recorder.record({ ...event, refused: true, advisoryId: 'MAL-1', tokenId: client })
    writeSync(1, '.')
  }
}

for (let client = 1; client <= 20; client++) void refuse(client)
