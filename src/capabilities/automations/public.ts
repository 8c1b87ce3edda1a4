import sql, { type Sql } from 'sql-template-tag'

export { signedHeaders, signingKeyProblem } from './actions/signature.ts'
export { originOf, webhookUrlProblem } from './actions/webhook-url.ts'

/** Whether automations that block scans were made or changed since then, as a condition. */
export function blockingChangedSince(deploymentId: number, moment: Sql): Sql {
  return sql`exists (select 1 from automation a
    join automation_action o on o.deployment_id = a.deployment_id and o.automation_id = a.id and o.type = 'ACTION_TYPE_BLOCK'
    where a.deployment_id = ${deploymentId} and a.active and a.trigger_source = 'TRIGGER_SOURCE_SCAN'
      and a.updated_at >= ${moment})`
}
