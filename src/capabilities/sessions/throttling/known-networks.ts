import sql from 'sql-template-tag'
import type { IdentityQueryable } from '../../../kernel/database/database.ts'

const days = 90
const mostKept = 50

/** Whether the person has signed in from there within the last 90 days. */
export async function isKnownNetwork(
  db: IdentityQueryable,
  personId: number,
  network: string,
  now: Date,
): Promise<boolean> {
  const rows = await db.query(sql`select 1 from known_network
    where person_id = ${personId} and network = ${network} and used_at > ${daysBefore(now)}`)
  return rows.length > 0
}

/** For whoever has proved to be the person there: by the password, or by a link that was made for them. */
export async function rememberNetwork(
  db: IdentityQueryable,
  personId: number,
  network: string,
  now: Date,
): Promise<void> {
  await db.query(sql`insert into known_network (person_id, network, used_at) values (${personId}, ${network}, ${now})
    on conflict (person_id, network) do update set used_at = excluded.used_at`)
  await db.query(sql`delete from known_network where person_id = ${personId} and (used_at <= ${daysBefore(now)}
    or network in (select network from known_network where person_id = ${personId}
      order by used_at desc, network offset ${mostKept}))`)
}

function daysBefore(now: Date): Date {
  return new Date(now.getTime() - days * 86_400_000)
}
