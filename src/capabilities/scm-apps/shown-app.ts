import { withVersion } from '../../kernel/contract/etag.ts'
import type { CertificateRow } from './certificates/certificate-store.ts'
import type { InstalledApp, ScmApp } from './contract.ts'
import type { AppRow } from './store.ts'

const warnDays = 30

/** The one tokens are got with: the newest that was accepted, or the one that waits for its first use. */
export function certificateInUse(certificates: CertificateRow[]): CertificateRow {
  return certificates.findLast((each) => each.accepted_at) ?? certificates.at(-1)!
}

function expiresSoon(expiresAt: Date, now: Date): boolean {
  return expiresAt.getTime() - now.getTime() < warnDays * 86_400_000
}

export function toInstalled(app: AppRow): InstalledApp {
  return withVersion(
    {
      id: String(app.id),
      slug: app.slug,
      appId: app.client_id,
      scmType: 'SCM_TYPE_DEVOPS',
      baseUrl: app.base_url,
      tenantId: app.tenant_id,
      status: app.status,
    },
    app.version,
  )
}

export function toScmApp(app: AppRow, certificates: CertificateRow[], now: Date): ScmApp {
  const { expires_at } = certificateInUse(certificates)
  const shown = {
    ...toInstalled(app),
    organizationName: app.organization_name,
    projectName: app.project_name,
    certificates: certificates.map((each) => ({
      publicCertificatePem: each.pem,
      fingerprint: each.fingerprint.toString('hex'),
      expiresAt: each.expires_at.toISOString(),
      accepted: each.accepted_at !== null,
    })),
    certificateExpiresAt: expires_at.toISOString(),
    expiresSoon: expiresSoon(expires_at, now),
    lastFailure: failureOf(app),
    lastEventAt: app.last_event_at?.toISOString() ?? null,
    eventCount: app.event_count,
    createdAt: app.created_at.toISOString(),
  }
  return withVersion(shown, app.version)
}

function failureOf({ failed_step: step, failed_detail: detail, failed_at: at }: AppRow): ScmApp['lastFailure'] {
  return step !== null && detail !== null && at ? { step, detail, at: at.toISOString() } : null
}
