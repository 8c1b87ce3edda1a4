import type { Performer } from '../../domain/trigger-event.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Outbound } from '../../outbound/client/client.ts'
import type { KeyRing } from '../../vault/key-ring.ts'
import { createEmailDelivery, type Mailing } from './actions/e-mail.ts'
import { actionJob, type Performers, runCleaning } from './actions/jobs.ts'
import { createWebhookDelivery } from './actions/webhook.ts'
import type { ActionType } from './automation.ts'
import { createFiring, type Deciders } from './fire.ts'
import type { Abilities } from './rules/check-automation.ts'
import { createAutomationTrials, type SubjectReads } from './rules/trial.ts'
import { createAutomationService } from './service.ts'

export type AutomationOptions = {
  db: Database
  ring: KeyRing
  outbound: Outbound
  /** Undefined where no mail server is configured. */
  mailing: Mailing | undefined
  publicUrl: string
  deciders: Deciders
  reads: SubjectReads
  /** Who carries out what other capabilities do. An action that nobody performs cannot be asked for. */
  performers: Partial<Record<ActionType, Performer>>
}

const mailSettings = 'a mail server: the operator sets GATEHOUSE_SMTP_URL and GATEHOUSE_SMTP_FROM'

/** Everything about automations: their keeping, what sets them off, and what they have done. */
export function createAutomations({ db, ring, outbound, mailing, publicUrl, ...others }: AutomationOptions) {
  const { deciders, reads } = others
  const own: Performers = {
    ACTION_TYPE_WEBHOOK: createWebhookDelivery(outbound),
    ...(mailing && { ACTION_TYPE_EMAIL: createEmailDelivery(db, mailing, publicUrl) }),
  }
  const performer = (type: ActionType) => own[type] ?? others.performers[type]
  const inTransaction: ActionType[] = ['ACTION_TYPE_BLOCK', 'ACTION_TYPE_TRIAGE']
  const abilities: Abilities = {
    performs: (type) => inTransaction.includes(type) || performer(type) !== undefined,
    needs: (type) => (type === 'ACTION_TYPE_EMAIL' && !mailing ? mailSettings : undefined),
  }
  const { fire, act } = createFiring(deciders)
  return {
    service: createAutomationService({ db, ring, abilities, mailDomains: mailing?.domains ?? [] }),
    trials: createAutomationTrials({ db, reads, act }),
    fire,
    job: actionJob({ db, ring, performer }),
    cleaning: runCleaning(db),
  }
}
