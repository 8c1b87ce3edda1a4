import type { Database } from '../../kernel/database/database.ts'
import type { JobHandler, Periodic } from '../../kernel/jobs/job.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { Mailer } from '../../outbound/mail/mailer.ts'
import type { AttemptLimits } from '../sessions/public.ts'
import { createAcceptance, type OnJoin } from './invitations/acceptance.ts'
import { removeExpired as removeExpiredInvitations } from './invitations/invitation-store.ts'
import { createInvitations } from './invitations/invitations.ts'
import { peopleMails } from './invitations/mails.ts'
import { removeExpired as removeExpiredResets } from './resets/reset-store.ts'
import { createResets, type RemoveFactorsSince } from './resets/resets.ts'
import { createPeopleService } from './service.ts'

export type PeopleOptions = {
  db: Database
  clock: Clock
  publicUrl: string
  /** Undefined where no mail server is configured. */
  mailer: Mailer | undefined
  limits: AttemptLimits
  onJoin?: OnJoin
  removeFactorsSince: RemoveFactorsSince
}

const daysExpiredInvitationsAreListed = 30

/** Everything about people: who they are, how they come in, and how they get back in. */
export function createPeople(options: PeopleOptions) {
  const { db, clock, publicUrl, mailer, limits, onJoin = async () => {}, removeFactorsSince } = options
  const common = { db, clock, publicUrl, canMail: mailer !== undefined }
  const resets = createResets({ ...common, limits, removeFactorsSince })
  const handlers: JobHandler[] = mailer ? peopleMails({ db, clock, publicUrl, mailer, resets }) : []
  const cleaning: Periodic = {
    name: 'people.clean',
    everySeconds: 3_600,
    async run() {
      const identities = { query: db.identityQuery }
      const now = clock.now()
      await removeExpiredResets(identities, now)
      const before = new Date(now.getTime() - daysExpiredInvitationsAreListed * 86_400_000)
      await removeExpiredInvitations(identities, before)
    },
  }
  return {
    service: createPeopleService(db),
    invitations: createInvitations(common),
    acceptance: createAcceptance(db, clock, limits, onJoin),
    resets,
    handlers,
    cleaning,
  }
}

export type People = ReturnType<typeof createPeople>
