import { type AccessOptions, createAccess } from './access.ts'
import { createTicketPerformer, react, reactToIssues } from './automatic.ts'
import { createTicketingJobs } from './jobs.ts'
import { createTicketingService } from './service.ts'
import { createTicketService } from './tickets.ts'

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
