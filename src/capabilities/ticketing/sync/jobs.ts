import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { Job, JobHandler, Periodic } from '../../../kernel/jobs/job.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { createCreation } from '../tickets/creation.ts'
import type { Access } from '../tracker/access.ts'
import { kinds } from './job-kinds.ts'
import { createPolling } from './polling.ts'
import { enqueueDue } from './resume-unfinished.ts'
import { createTransition } from './transition.ts'

export type TicketingJobs = { handlers: JobHandler[]; periodic: Periodic[] }

export function createTicketingJobs(options: { db: Database; access: Access; clock: Clock }): TicketingJobs {
  const { db } = options
  const creation = createCreation(options)
  const transition = createTransition(options)
  const polling = createPolling(options)
  const numberIn = (job: Job, name: string) => Number((job.payload as Record<string, unknown>)[name])
  const handlers: JobHandler[] = [
    { kind: kinds.create, run: (job) => creation.make(actorOf(job), numberIn(job, 'ticketId')) },
    { kind: kinds.transition, run: (job) => transition.fire(actorOf(job), numberIn(job, 'ticketId')) },
    { kind: kinds.settle, run: (job) => db.transaction(actorOf(job), enqueueDue) },
    { kind: kinds.poll, run: (job) => polling.poll(actorOf(job), numberIn(job, 'instanceId')) },
  ]
  return { handlers, periodic: [{ name: 'ticketing.poll', everySeconds: 60, run: polling.askAll }] }
}

function actorOf({ deploymentId, kind, id }: Job) {
  return systemActor(deploymentId, `${kind}:${id}`)
}
