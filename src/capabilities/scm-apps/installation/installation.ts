import type { Actor } from '../../../kernel/access/actor.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import type { Outbound } from '../../../outbound/client/client.ts'
import type { KeyRing } from '../../../vault/key-ring.ts'
import { sealedColumns, sealedFieldOf } from '../../../vault/rotation/sealed-columns.ts'
import { requestToken, tokenEndpointOf } from '../certificates/access-token.ts'
import type { CertificateRow } from '../certificates/certificate-store.ts'
import { signAssertion } from '../certificates/client-assertion.ts'
import { certificateInUse } from '../shown-app.ts'
import type { AppRow } from '../store.ts'
import { ourSubscriptions, planSubscriptions } from '../webhooks/subscriptions.ts'
import { webhookUserName } from '../webhooks/webhook-secret.ts'
import { createDevops, type Devops } from './devops.ts'
import type { HeldApp } from './lease.ts'
import { StepFailure } from './step.ts'

export type InstallationOptions = {
  ring: KeyRing
  outbound: Outbound
  clock: Clock
  /** Where the DevOps service reaches us. */
  publicUrl: string
  identityProviderUrl: string
}

// Together less than a request may take, so that the caller still gets the answer.
const installMs = 22_000
const uninstallMs = 10_000
const oneRequestMs = 10_000

/** What an installation does at the identity provider and at the DevOps service. Every part may be done again. */
export function createInstallation(options: InstallationOptions) {
  const { ring, outbound, clock } = options

  async function install(actor: Actor, { app, certificates }: HeldApp) {
    const timeLeft = createBudget(installMs)
    const newest = certificates.at(-1)!
    if (newest.expires_at <= clock.now()) {
      const day = newest.expires_at.toISOString().slice(0, 10)
      throw new StepFailure('certificate', `It expired on ${day}. Rotate it, upload the new one, and complete again.`)
    }
    const devops = await enter(actor, app, newest, timeLeft)
    await devops.checkOrganization()
    const projectId = await devops.findProject(app.project_name)
    const webhookIds = await subscribeTo(devops, actor, app, projectId)
    return { certificateId: newest.id, webhookIds }
  }

  /** Whether no webhook of ours is left; that it cannot be said is not a reason to keep the app. */
  async function uninstall(actor: Actor, { app, certificates }: HeldApp): Promise<boolean> {
    if (!app.webhook_secret) return true
    try {
      const devops = await enter(actor, app, certificateInUse(certificates), createBudget(uninstallMs))
      const existing = await devops.listSubscriptions()
      const ours = ourSubscriptions(existing, { url: hookUrl(app.id), knownIds: app.webhook_ids })
      for (const { id } of ours) await devops.unsubscribe(id)
      return true
    } catch (error) {
      if (error instanceof StepFailure) return false
      throw error
    }
  }

  /** The DevOps service, with a token that this certificate got. */
  async function enter(actor: Actor, app: AppRow, certificate: CertificateRow, timeoutMs: () => number) {
    const place = sealedFieldOf(sealedColumns.scmAppPrivateKey, certificate.id)
    const privateKeyPem = (await ring.open(String(actor.deploymentId), certificate.private_key, place)).toString('utf8')
    const tokenEndpoint = tokenEndpointOf(options.identityProviderUrl, app.tenant_id)
    const { fingerprint } = certificate
    const clientId = app.client_id
    const assertion = await signAssertion({ clientId, tokenEndpoint, privateKeyPem, fingerprint, now: clock.now() })
    const token = await requestToken(outbound, { clientId, tokenEndpoint, assertion, timeoutMs: timeoutMs() })
    return createDevops(outbound, {
      baseUrl: app.base_url,
      organizationName: app.organization_name,
      token,
      timeoutMs,
    })
  }

  async function subscribeTo(devops: Devops, actor: Actor, app: AppRow, projectId: string): Promise<string[]> {
    const place = sealedFieldOf(sealedColumns.scmAppWebhookSecret, app.id)
    const secret = (await ring.open(String(actor.deploymentId), app.webhook_secret!, place)).toString('utf8')
    const url = hookUrl(app.id)
    const existing = await devops.listSubscriptions()
    const plan = planSubscriptions(existing, { url, projectId, knownIds: app.webhook_ids })
    const ids = plan.keep
    for (const eventType of plan.create) {
      ids.push(await devops.subscribe({ eventType, projectId, url, userName: webhookUserName, secret }))
    }
    for (const id of plan.remove) await devops.unsubscribe(id)
    return ids
  }

  function hookUrl(appId: number): string {
    return `${options.publicUrl}/api/scm/devops_app_webhook/${appId}`
  }

  return { install, uninstall }
}

/** How long the next request may take: what is left of the whole, and never more than one should. */
function createBudget(wholeMs: number): () => number {
  const end = performance.now() + wholeMs
  return () => Math.max(1, Math.min(oneRequestMs, Math.floor(end - performance.now())))
}
