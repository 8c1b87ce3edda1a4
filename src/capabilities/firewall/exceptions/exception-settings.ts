import sql from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import { requireVersion, withVersion } from '../../../kernel/contract/etag.ts'
import type { Database, Queryable } from '../../../kernel/database/database.ts'
import { changeVerdicts } from '../verdicts/change-verdicts.ts'
import type { VerdictDataKeeper } from '../verdicts/verdict-data.ts'
import type { ExceptionSettings } from './exception-contract.ts'

type Row = ExceptionSettings & { version: number }

/** What a deployment chose about exceptions and about the text of its refusals. */
export function createExceptionSettings(db: Database, knowledge: Pick<VerdictDataKeeper, 'refresh'>) {
  async function get(actor: Actor): Promise<ExceptionSettings> {
    return shown(await find(db.as(actor)))
  }

  function put(actor: Actor, { contact: sent, fourEyes }: ExceptionSettings): Promise<ExceptionSettings> {
    const contact = sent.trim()
    return changeVerdicts({ db, knowledge }, actor, async (tx) => {
      requireVersion(actor, (await find(tx)).version)
      await tx.query(sql`update firewall_deployment set contact = ${contact}, four_eyes = ${fourEyes},
          exception_settings_version = exception_settings_version + 1
        where deployment_id = ${tx.deploymentId}`)
      tx.audit({
        action: 'firewall-exception-settings.update',
        target: 'firewall-exception-settings',
        detail: { contact, fourEyes },
      })
      return shown(await find(tx))
    })
  }

  return { get, put }
}

/** Whether those who asked for an exception are kept from approving it. */
export async function fourEyes(db: Queryable): Promise<boolean> {
  return (await find(db)).fourEyes
}

async function find(db: Queryable): Promise<Row> {
  const [row] = await db.query<Row>(sql`select contact, four_eyes as "fourEyes", exception_settings_version as version
    from firewall_deployment where deployment_id = ${db.deploymentId}`)
  return row ?? { contact: '', fourEyes: false, version: 0 }
}

function shown({ version, ...settings }: Row): ExceptionSettings {
  return withVersion(settings, version)
}
