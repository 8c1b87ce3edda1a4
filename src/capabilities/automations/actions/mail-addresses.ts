import sql from 'sql-template-tag'
import type { Queryable } from '../../../kernel/database/database.ts'

/**
 * Those of the addresses that are nobody's in the deployment, and of no domain that the operator allows mail to: the mail
 * server is the operator's, and what stands in a mail comes from whoever sets up an automation or writes code.
 */
export async function foreignAddresses(
  db: Queryable,
  addresses: readonly string[],
  domains: readonly string[],
): Promise<string[]> {
  const outside = addresses.filter((address) => !isInDomain(address, domains))
  if (outside.length === 0) return []
  const rows = await db.query<{ email: string }>(sql`select lower(person.email) as email
    from membership join person on person.id = membership.person_id
    where membership.deployment_id = ${db.deploymentId} and not person.is_service and membership.suspended_at is null
      and lower(person.email) = any(${outside.map((address) => address.toLowerCase())}::text[])`)
  const members = new Set(rows.map(({ email }) => email))
  return outside.filter((address) => !members.has(address.toLowerCase()))
}

/** The domain itself, not those below it, which may be somebody else's. */
function isInDomain(address: string, domains: readonly string[]): boolean {
  const domain = address.slice(address.lastIndexOf('@') + 1).toLowerCase()
  return domains.includes('*') || domains.includes(domain)
}
