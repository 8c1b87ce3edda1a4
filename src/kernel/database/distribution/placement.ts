import type pg from 'pg'

/**
 * Where each table is on a database that Citus distributes. Tables of a deployment are cut by `deployment_id`, so that all of
 * one deployment is on one node: every table that is not named here. A reference table has a copy on every node. Others stay on
 * the coordinator alone. `test/citus/placement.test.ts` holds this against the schema.
 */

/** Accounts, and what refers to them: found by a key across deployments, or read together with rows of one. */
export const accounts = [
  'account_event',
  'api_token',
  'ci_trust',
  'deployment',
  'former_member',
  'invitation',
  'known_network',
  'logout_token',
  'membership',
  'passkey',
  'passkey_challenge',
  'password_reset',
  'person',
  // A policy on accounts looks for those that a directory has provisioned.
  'provisioned_group',
  'provisioned_member',
  'provisioned_user',
  'recovery_code',
  'service_account',
  'session',
  'sign_in_flow',
  'sign_in_identity',
  'sign_in_provider',
  'totp_factor',
  'totp_setup',
]

/** What feeds bring, and the queue, which is worked on across deployments. */
const forAll = [
  'advisory',
  'advisory_feed',
  'advisory_state',
  'epss_feed',
  'epss_score',
  'epss_state',
  'exploited_feed',
  'exploited_state',
  'exploited_vulnerability',
  'outbox',
  'vulnerability',
  'vulnerability_feed',
  'vulnerability_range',
  'vulnerability_state',
]

/** Tables that no other refers to, and that are read and written alone: they stay on the coordinator. */
export const local = [
  'data_key',
  'failed_sign_in',
  'last_backup',
  'master_key',
  'periodic_task',
  'replica_proof',
  'schema_fence',
  'schema_migration',
  'sign_in_attempt',
  'signing_key',
]

export const reference = [...accounts, ...forAll]

/** What others are placed beside, so that all of a deployment is on one node. */
export const besideAll = 'repository'

/** Into how many parts deployments are put: more than there will ever be workers. */
export const usualShards = 32

export type Place = 'everywhere' | 'by deployment'

/** The tables of the schema that are not the coordinator's alone, in the order in which they get their place. */
export async function tablesToPlace(client: pg.ClientBase): Promise<Map<string, Place>> {
  const { rows } = await client.query<{ table: string }>(
    `select c.relname as table from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and (c.relname = any($1) or exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'deployment_id'))
    order by c.relname <> all($1), c.relname <> $2, c.relname`,
    [reference, besideAll],
  )
  return new Map(rows.map(({ table }) => [table, reference.includes(table) ? 'everywhere' : 'by deployment']))
}
