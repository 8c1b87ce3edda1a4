import sql, { type Sql } from 'sql-template-tag'

/**
 * How far a deployment knows advisories, of vulnerable and of malicious packages, as an expression in SQL: what was
 * matched under another state may match otherwise now.
 */
export function advisoryRevision(deploymentId: number): Sql {
  return sql`(select vulnerable.revision || '.' || coalesce(malicious.exposure_revision, 0)
    from vulnerability_state vulnerable left join firewall_deployment malicious on malicious.deployment_id = ${deploymentId})`
}
