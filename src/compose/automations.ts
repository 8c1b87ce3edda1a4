import { type AutomationOptions, createAutomations } from '../capabilities/automations/automations.ts'
import { findingsRaisedBy, findingsWithIds } from '../capabilities/findings/lifecycle/automation-reads.ts'
import type { Findings } from '../capabilities/findings/service.ts'
import { issueSubjects, triageIssuesByAutomation } from '../capabilities/issues/automation.ts'
import { lastScans } from '../capabilities/scans/public.ts'
import type { Mailer } from '../outbound/mail/mailer.ts'
import type { Settings } from '../settings/settings.ts'

type Parts = Pick<AutomationOptions, 'db' | 'ring' | 'outbound' | 'performers'> & {
  settings: Settings
  /** Undefined where no mail server is configured. */
  mailer: Mailer | undefined
  findings: Pick<Findings, 'decree'>
}

/** Automations, told what findings, issues and scans are. */
export function composeAutomations({ settings, mailer, findings, ...parts }: Parts) {
  const { publicUrl, mail } = settings
  return createAutomations({
    ...parts,
    publicUrl,
    mailing: mail && mailer && { mailer, domains: mail.domains, perHour: mail.perHour },
    deciders: {
      issue: triageIssuesByAutomation,
      async finding(tx, { subjects, state, reason, automationId }) {
        const ids = await findings.decree(tx, {
          by: 'automation',
          deciderId: automationId,
          findingIds: subjects.map(({ id }) => Number(id)),
          triageState: state,
          triageReason: reason,
          note: '',
        })
        return ids.map(String)
      },
    },
    reads: {
      findings: findingsWithIds,
      issues: issueSubjects,
      async lastScans(db, actor, count) {
        const scans = await lastScans(db, actor, count)
        return scans.map(({ id, createdAt, ...where }) => ({
          createdAt,
          occasion: { source: 'TRIGGER_SOURCE_SCAN', scanId: id, ...where },
        }))
      },
      raisedBy: (db, { occasion }) => findingsRaisedBy(db, occasion.repository.id, occasion.scanId),
    },
  })
}
