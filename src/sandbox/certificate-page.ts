import type { SandboxAnswer } from './local-server.ts'

/** Where a person does in a browser what the administrator of the tenant does: uploads a certificate to an app registration. */
export function certificatePage(clientIds: readonly string[], said = ''): SandboxAnswer {
  const options = clientIds.map((id) => `<option>${id}</option>`).join('')
  const body = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Identity provider of the sandbox</title>
<h1>Upload a certificate</h1>
<p role="status">${said}</p>
<form method="post" action="/certificates">
<p><label>App registration <select name="client_id">${options}</select></label></p>
<p><label>Certificate, PEM<br><textarea name="pem" rows="20" cols="70" required></textarea></label></p>
<p><button>Upload</button></p>
</form></html>`
  return { headers: { 'content-type': 'text/html; charset=utf-8' }, body }
}
