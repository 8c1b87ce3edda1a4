import type { Api } from '../kernel/contract/api.ts'
import type { JobHandler, Periodic } from '../kernel/jobs/job.ts'
import type { Reaction } from './event-reactions.ts'

/** A capability as the wiring sees it. What one does not have, it leaves out. */
export type Capability = {
  /** Binds its endpoints. */
  serve?(api: Api): void
  /** What it does about jobs of the outbox. */
  handlers?: readonly JobHandler[]
  /** What it does from time to time. */
  periodic?: readonly Periodic[]
  /** What it does about trigger events, beside automations. */
  reactions?: readonly Reaction[]
  /** Called once requests and jobs have ended; the last in the list is closed first. */
  close?(): Promise<void>
}
