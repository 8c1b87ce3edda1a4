import sql from 'sql-template-tag'
import type { Fire, Subject } from '../../../domain/trigger-event.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database, Queryable, Transaction } from '../../../kernel/database/database.ts'
import type { Job, JobHandler } from '../../../kernel/jobs/job.ts'
import { enqueue, enqueueMany } from '../../../kernel/jobs/outbox.ts'
import type { Mailer } from '../../../outbound/mail/mailer.ts'
import { addressOf, deciders } from '../deciders.ts'
import { firewallSubject } from '../refused-news.ts'
import { type ExceptionRow, find } from './exception-store.ts'
import { type ExceptionEvent, newsText, newsTitle } from './news-text.ts'
import { refusalLink } from './refusal-advice.ts'

const newsKind = 'firewall.exception-news'
const mailKind = 'firewall.exception-mail'
const lane = 'firewall-exceptions'
const mostAdvisories = 100

/** `malicious` are the advisories that ended it. */
type News = { exceptionId: number; event: ExceptionEvent; malicious?: readonly string[] }
type Letter = News & { personId: number }

/** Written down with what happened; told afterwards. */
export async function tellLater(
  tx: Transaction,
  exceptionId: number,
  event: ExceptionEvent,
  malicious: readonly string[] = [],
): Promise<void> {
  const news: News = { exceptionId, event, malicious: malicious.slice(0, mostAdvisories) }
  await enqueue(tx, { kind: newsKind, payload: news, lane })
}

export type NewsOptions = {
  db: Database
  fire: Fire
  /** Undefined where no mail server is configured. */
  mailer: Mailer | undefined
  publicUrl: string
}

/** Tells automations and channels, and by mail those whom it concerns: who decides of what is asked, who asked of what is decided. */
export function exceptionNews({ db, fire, mailer, publicUrl }: NewsOptions): JobHandler[] {
  async function tell(job: Job): Promise<void> {
    const { exceptionId, event, malicious = [] } = job.payload as News
    await db.transaction(systemActor(job.deploymentId, job.key), async (tx) => {
      const row = await find(tx, exceptionId, 'all')
      if (!row) return
      await fire(tx, {
        source: 'TRIGGER_SOURCE_FIREWALL_EXCEPTION',
        repository: null,
        ref: '',
        scanId: 0,
        pullRequest: 0,
        subjects: async () => [subjectOf(row, event, malicious)],
      })
      if (!mailer) return
      const people = event === 'asked' || event === 'advised' ? await deciders(tx) : await askers(tx, exceptionId)
      await enqueueMany(
        tx,
        people.map((personId) => ({
          kind: mailKind,
          payload: { exceptionId, event, malicious, personId } satisfies Letter,
          lane: mailKind,
        })),
      )
    })
  }

  async function send(to: Mailer, job: Job): Promise<void> {
    const { exceptionId, event, malicious = [], personId } = job.payload as Letter
    const read = db.as(job)
    const address = await addressOf(read, personId)
    const row = await find(read, exceptionId, 'all')
    if (!address || !row) return
    const subject = `[Gatehouse] ${newsTitle(row, event, malicious)}`
    const text = newsText(row, event, malicious, refusalLink(publicUrl, { deploymentId: job.deploymentId, ...row }))
    await to.send({ to: address, id: job.key, subject, text })
  }

  const telling: JobHandler = { kind: newsKind, run: tell }
  return mailer ? [telling, { kind: mailKind, run: (job) => send(mailer, job) }] : [telling]
}

/** What ended it may be something other than what had refused it. */
function subjectOf(row: ExceptionRow, event: ExceptionEvent, malicious: readonly string[]): Subject {
  const title = newsTitle(row, event, malicious)
  if (malicious.length === 0) return { ...firewallSubject(row), title }
  const why = { reason: row.endedReason, advisoryIds: [...malicious] }
  return { ...firewallSubject({ ...row, rule: 'malicious' }), title, ...why }
}

async function askers(db: Queryable, exceptionId: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`select person_id as id from firewall_exception_asker
    where deployment_id = ${db.deploymentId} and exception_id = ${exceptionId} order by person_id`)
  return rows.map(({ id }) => id)
}
