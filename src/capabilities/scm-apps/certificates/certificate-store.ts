import sql from 'sql-template-tag'
import type { IdentityQueryable, Queryable, Transaction } from '../../../kernel/database/database.ts'
import type { SealedValue } from '../../../vault/key-ring.ts'

export type CertificateRow = {
  id: number
  scm_app_id: number
  pem: string
  fingerprint: Buffer
  private_key: SealedValue
  expires_at: Date
  accepted_at: Date | null
}

/** Of these apps, oldest first. */
export function listCertificates(db: Queryable, appIds: number[]): Promise<CertificateRow[]> {
  return db.query(sql`select id, scm_app_id, pem, fingerprint, private_key, expires_at, accepted_at
    from scm_app_certificate where deployment_id = ${db.deploymentId} and scm_app_id = any(${appIds}::bigint[])
    order by id`)
}

/** Known before the row is written, so that its private key can be sealed for it. */
export async function reserveCertificateId(db: IdentityQueryable): Promise<number> {
  const [row] = await db.query<{ id: number }>(sql`select nextval('scm_app_certificate_id_seq') as id`)
  return row!.id
}

export type NewCertificate = {
  id: number
  appId: number
  pem: string
  fingerprint: Buffer
  privateKey: SealedValue
  expiresAt: Date
}

export async function insertCertificate(tx: Transaction, made: NewCertificate): Promise<void> {
  await tx.query(sql`insert into scm_app_certificate
      (deployment_id, id, scm_app_id, pem, fingerprint, private_key, expires_at)
    values (${tx.deploymentId}, ${made.id}, ${made.appId}, ${made.pem}, ${made.fingerprint},
      ${JSON.stringify(made.privateKey)}::sealed_value, ${made.expiresAt})`)
}

/** False where it has been replaced meanwhile. Older ones are of no more use. */
export async function accept(tx: Transaction, appId: number, id: number, at: Date): Promise<boolean> {
  const rows = await tx.query(sql`update scm_app_certificate set accepted_at = coalesce(accepted_at, ${at})
    where deployment_id = ${tx.deploymentId} and scm_app_id = ${appId} and id = ${id} returning id`)
  if (rows.length === 0) return false
  await tx.query(sql`delete from scm_app_certificate
    where deployment_id = ${tx.deploymentId} and scm_app_id = ${appId} and id < ${id}`)
  return true
}

export async function removeUnaccepted(tx: Transaction, appId: number): Promise<void> {
  await tx.query(sql`delete from scm_app_certificate
    where deployment_id = ${tx.deploymentId} and scm_app_id = ${appId} and accepted_at is null`)
}
