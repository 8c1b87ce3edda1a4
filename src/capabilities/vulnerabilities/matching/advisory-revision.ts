import sql, { type Sql } from 'sql-template-tag'

/**
 * How far a deployment knows advisories, of vulnerable and of malicious packages, as an expression in SQL: what was
 * matched under another state may match otherwise now.
 */
export function advisoryRevision(deploymentId: number): Sql {
  const malicious = sql`(select exposure_revision from firewall_deployment where deployment_id = ${deploymentId})`
  return sql`(select revision || '.' || coalesce(${malicious}, 0) from vulnerability_state)`
}

/** Whether any advisories about vulnerabilities are loaded, as an expression in SQL: without them, finding nothing says nothing. */
export const advisoriesLoaded = sql`exists (select 1 from vulnerability_feed where record_count > 0)`
