import type { SandboxAnswer } from './local-server.ts'
import { sandboxPage, shown } from './sandbox-page.ts'

export type RegisteredApp = { clientId: string; tenantId: string }

/** Where a person does in a browser what the administrator of the tenant does: uploads a certificate to an app registration. */
export function certificatePage(apps: readonly RegisteredApp[], said = ''): SandboxAnswer {
  const options = apps.map(({ clientId, tenantId }) => {
    return `<option value="${shown(clientId)}">${shown(clientId)} of the tenant ${shown(tenantId)}</option>`
  })
  return sandboxPage(
    'Identity provider of the sandbox: upload a certificate',
    `<p role="status">${shown(said)}</p>
<form method="post" action="/certificates">
<p><label>App registration <select name="client_id">${options.join('')}</select></label></p>
<p><label>Certificate, PEM<br><textarea name="pem" rows="20" cols="70" required></textarea></label></p>
<p><button>Upload</button></p>
</form>`,
  )
}
