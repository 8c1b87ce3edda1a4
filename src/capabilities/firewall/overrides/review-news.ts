import sql from 'sql-template-tag'
import { systemActor } from '../../../kernel/access/actor.ts'
import type { Database, Queryable, Transaction } from '../../../kernel/database/database.ts'
import type { Job, JobHandler } from '../../../kernel/jobs/job.ts'
import { enqueue, enqueueMany } from '../../../kernel/jobs/outbox.ts'
import type { Mailer } from '../../../outbound/mail/mailer.ts'
import { addressOf, deciders } from '../deciders.ts'
import { oneLine } from '../exceptions/news-text.ts'

const newsKind = 'firewall.held-news'
const mailKind = 'firewall.held-mail'

/** This many are named in a mail; of the others it says how many they are. */
const mostNamed = 20

type News = { heldIds: number[]; count: number }
type Letter = News & { personId: number }
type Held = { advisoryId: string; ecosystem: string; name: string; repositoryCount: number }

/** Written down with the holds; told afterwards, all that came together in one mail. */
export async function tellOfHolds(tx: Transaction, heldIds: readonly number[]): Promise<void> {
  if (heldIds.length === 0) return
  const payload: News = { heldIds: heldIds.slice(0, mostNamed), count: heldIds.length }
  await enqueue(tx, { kind: newsKind, payload })
}

export type ReviewNewsOptions = {
  db: Database
  /** Undefined where no mail server is configured. */
  mailer: Mailer | undefined
  publicUrl: string
}

/** Tells owners and admins by mail that an advisory waits for their decision: until then it is neither believed nor dismissed. */
export function reviewNews({ db, mailer, publicUrl }: ReviewNewsOptions): JobHandler[] {
  async function tell(job: Job): Promise<void> {
    if (!mailer) return
    await db.transaction(systemActor(job.deploymentId, job.key), async (tx) => {
      const people = await deciders(tx)
      await enqueueMany(
        tx,
        people.map((personId) => ({
          kind: mailKind,
          payload: { ...(job.payload as News), personId } satisfies Letter,
        })),
      )
    })
  }

  async function send(to: Mailer, job: Job): Promise<void> {
    const { heldIds, count, personId } = job.payload as Letter
    const read = db.as(job)
    const address = await addressOf(read, personId)
    const held = await stillHeld(read, heldIds)
    if (!address || held.length === 0) return
    const waiting = count - heldIds.length + held.length
    const subject = `[Gatehouse] ${titleOf(held, waiting)}`
    await to.send({
      to: address,
      id: job.key,
      subject,
      text: textOf(held, waiting, `${publicUrl}/d/${await slugOf(read)}`),
    })
  }

  const telling: JobHandler = { kind: newsKind, run: tell }
  return mailer ? [telling, { kind: mailKind, run: (job) => send(mailer, job) }] : [telling]
}

/** What was decided meanwhile needs nobody any more. */
function stillHeld(db: Queryable, ids: readonly number[]): Promise<Held[]> {
  return db.query(sql`select advisory_id as "advisoryId", ecosystem, name, repository_count as "repositoryCount"
    from firewall_held where deployment_id = ${db.deploymentId} and id = any(${[...ids]}::bigint[]) and state = 'held'
    order by id`)
}

async function slugOf(db: Queryable): Promise<string> {
  const [row] = await db.query<{ slug: string }>(sql`select slug from deployment where id = ${db.deploymentId}`)
  return row!.slug
}

function titleOf([first]: readonly Held[], waiting: number): string {
  if (waiting > 1) return `${waiting} advisories wait for your decision`
  return `An advisory waits for your decision: ${oneLine(`${first!.ecosystem} ${first!.name}`)}`
}

function textOf(held: readonly Held[], waiting: number, consoleUrl: string): string {
  const unnamed = waiting - held.length
  return [
    `${titleOf(held, waiting)}.`,
    '',
    ...held.map(
      ({ advisoryId, ecosystem, name, repositoryCount }) =>
        `${oneLine(advisoryId)} calls every version of ${oneLine(`${ecosystem} ${name}`)} malicious. ` +
        `${repositoryCount} repositories have had it for a while.`,
    ),
    ...(unnamed > 0 ? [`And ${unnamed} more.`] : []),
    '',
    'New installs are refused until then. Confirm or release it under Firewall, Held:',
    `${consoleUrl}/firewall/held?state=held`,
  ].join('\n')
}
