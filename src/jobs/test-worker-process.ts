import pino from 'pino'
import { plainVault } from '../../test/plain-vault.ts'
import { createDatabase } from '../kernel/database/database.ts'
import { createWorker, usualWorker } from './worker.ts'

/**
 * A process of its own that works on the queue, until it is killed. Each job is told to the receiver with its key, and the
 * receiver's answer is waited for.
 */
const { connection, receiver } = JSON.parse(process.argv[2]!)
const db = createDatabase(connection, plainVault)
const run = async ({ key, signal }: { key: string; signal: AbortSignal }) => {
  const response = await fetch(receiver, { method: 'POST', headers: { 'webhook-id': key }, signal })
  if (!response.ok) throw new Error(`answered ${response.status}`)
}
const options = { ...usualWorker, leaseSeconds: 1, pollSeconds: 0.1 }
createWorker({ db, log: pino({ level: 'silent' }), handlers: [{ kind: 'a', run }] }, options).start()
// Nothing else would keep it.
setInterval(() => {}, 1_000)
