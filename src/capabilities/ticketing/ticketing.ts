import { createTicketingService } from './instances/service.ts'
import { createTicketingJobs } from './sync/jobs.ts'
import { createTicketPerformer, react, reactToIssues } from './tickets/automatic.ts'
import { createTicketService } from './tickets/tickets.ts'
import { type AccessOptions, createAccess } from './tracker/access.ts'

/** Everything about tickets, on one way to the trackers. */
export function createTicketing(options: AccessOptions) {
  const { db, clock } = options
  const access = createAccess(options)
  return {
    instances: createTicketingService({ ...options, access }),
    tickets: createTicketService({ db, access, clock }),
    ...createTicketingJobs({ db, access, clock }),
    react,
    reactToIssues,
    createTicket: createTicketPerformer(db),
  }
}
