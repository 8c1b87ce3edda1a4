import sql, { type Sql } from 'sql-template-tag'

/**
 * How far a deployment knows advisories, of vulnerable and of malicious packages, as an expression in SQL: what was
 * matched under another state may match otherwise now.
 */
export function advisoryRevision(deploymentId: number): Sql {
  const malicious = sql`(select exposure_revision from firewall_deployment where deployment_id = ${deploymentId})`
  return sql`(select revision || '.' || coalesce(${malicious}, 0) from vulnerability_state)`
}
