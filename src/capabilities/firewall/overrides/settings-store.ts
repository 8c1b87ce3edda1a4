import sql from 'sql-template-tag'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import { firewallChannel } from '../advisories/advisory-store.ts'
import type { EcosystemSettings } from '../verdicts/firewall-configuration.ts'

/** Version 0 is what holds where nothing was chosen. */
export type SettingsRow = EcosystemSettings & { ecosystem: EcosystemId; version: number }

const columns = sql`ecosystem, undetermined, held, mirror_hosts as "mirrorHosts", minimum_age_hours as "minimumAgeHours", age_exceptions as "ageExceptions",
  maximum_data_age_hours as "maximumDataAgeHours", version`

export function list(db: Queryable): Promise<SettingsRow[]> {
  return db.query(sql`select ${columns} from firewall_choice where deployment_id = ${db.deploymentId}`)
}

export async function find(db: Queryable, ecosystem: EcosystemId): Promise<SettingsRow | undefined> {
  const [row] = await db.query<SettingsRow>(sql`select ${columns} from firewall_choice
    where deployment_id = ${db.deploymentId} and ecosystem = ${ecosystem}`)
  return row
}

export async function put(tx: Transaction, choices: Omit<SettingsRow, 'version'>): Promise<SettingsRow> {
  const { ecosystem, undetermined, held, minimumAgeHours, ageExceptions, maximumDataAgeHours, mirrorHosts } = choices
  const [row] = await tx.query<SettingsRow>(sql`insert into firewall_choice
      (deployment_id, ecosystem, undetermined, held, minimum_age_hours, age_exceptions, maximum_data_age_hours, mirror_hosts)
    values (${tx.deploymentId}, ${ecosystem}, ${undetermined}, ${held}, ${minimumAgeHours}, ${[...ageExceptions]}::text[],
      ${maximumDataAgeHours}, ${[...mirrorHosts]}::text[])
    on conflict (deployment_id, ecosystem) do update set undetermined = excluded.undetermined, held = excluded.held,
      minimum_age_hours = excluded.minimum_age_hours, age_exceptions = excluded.age_exceptions,
      maximum_data_age_hours = excluded.maximum_data_age_hours, mirror_hosts = excluded.mirror_hosts,
      version = firewall_choice.version + 1
    returning ${columns}`)
  return row!
}

/**
 * First in every transaction that changes what verdicts are made of: such changes of a deployment come one after the other,
 * and every process is told with the commit. Answers what they are at then.
 */
export async function moveConfiguration(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{
    version: number
  }>(sql`insert into firewall_deployment (deployment_id, rules) values (${tx.deploymentId}, 1)
    on conflict (deployment_id) do update set rules = firewall_deployment.rules + 1
    returning rules as version`)
  await tx.query(sql`select pg_notify(${firewallChannel}, '')`)
  return row!.version
}
