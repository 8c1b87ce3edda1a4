import { systemActor } from '../access/actor.ts'
import { eachDeployment } from '../jobs/each-deployment.ts'
import type { Periodic } from '../jobs/job.ts'
import type { Database } from './database.ts'
import { forgetKeptResults } from './idempotency.ts'

const everySeconds = 3_600

/** A kept result may hold a secret that is shown once. It goes when it is old, also where nobody sends a key any more. */
export function createIdempotencyRetention(db: Database): Periodic {
  return {
    name: 'idempotency.retention',
    everySeconds,
    run: () => eachDeployment(db, (id) => db.transaction(systemActor(id, 'idempotency-retention'), forgetKeptResults)),
  }
}
