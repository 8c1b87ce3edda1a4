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

const newsKind = 'firewall.exception-news'
const mailKind = 'firewall.exception-mail'
const lane = 'firewall-exceptions'

type News = { exceptionId: number; event: ExceptionEvent }
type Letter = News & { personId: number }

/** Written down with what happened; told afterwards. */
export async function tellLater(tx: Transaction, exceptionId: number, event: ExceptionEvent): Promise<void> {
  await enqueue(tx, { kind: newsKind, payload: { exceptionId, event } satisfies News, lane })
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
    const { exceptionId, event } = job.payload as News
    await db.transaction(systemActor(job.deploymentId, job.key), async (tx) => {
      const row = await find(tx, exceptionId, 'all')
      if (!row) return
      await fire(tx, {
        source: 'TRIGGER_SOURCE_FIREWALL_EXCEPTION',
        repository: null,
        ref: '',
        scanId: 0,
        pullRequest: 0,
        subjects: async () => [subjectOf(row, event)],
      })
      if (!mailer) return
      const people = event === 'asked' || event === 'advised' ? await deciders(tx) : await askers(tx, exceptionId)
      await enqueueMany(
        tx,
        people.map((personId) => ({
          kind: mailKind,
          payload: { exceptionId, event, personId } satisfies Letter,
          lane: mailKind,
        })),
      )
    })
  }

  async function send(to: Mailer, job: Job): Promise<void> {
    const { exceptionId, event, personId } = job.payload as Letter
    const read = db.as(job)
    const address = await addressOf(read, personId)
    const row = await find(read, exceptionId, 'all')
    if (!address || !row) return
    const subject = `[Gatehouse] ${newsTitle(row, event)}`
    await to.send({ to: address, id: job.key, subject, text: newsText(row, event, publicUrl, job.deploymentId) })
  }

  const telling: JobHandler = { kind: newsKind, run: tell }
  return mailer ? [telling, { kind: mailKind, run: (job) => send(mailer, job) }] : [telling]
}

function subjectOf(row: ExceptionRow, event: ExceptionEvent): Subject {
  return { ...firewallSubject(row), title: newsTitle(row, event) }
}

async function askers(db: Queryable, exceptionId: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`select person_id as id from firewall_exception_asker
    where deployment_id = ${db.deploymentId} and exception_id = ${exceptionId} order by person_id`)
  return rows.map(({ id }) => id)
}
