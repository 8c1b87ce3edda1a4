import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'

// The script asks this server alone; nothing is loaded from elsewhere, and no form is sent by the browser itself.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'none'; " +
  "base-uri 'none'; frame-ancestors 'none'"

const newPassword =
  '<p><label>Password, at least 12 characters<br><input name="password" type="password" minlength="12" maxlength="200" autocomplete="new-password" required></label></p>'

const pages = {
  '/invitations': page(
    'Invitation',
    `<form id="new" hidden><h2>New here</h2>
<p><label>Name<br><input name="name" maxlength="200" autocomplete="name"></label></p>${newPassword}
<button>Join with a new account</button></form>
<form id="known" hidden><h2>With the account you have</h2>
<p><label>Your password<br><input name="password" type="password" maxlength="200" autocomplete="current-password" required></label></p>
<p><label>Code of your second factor, if you have one<br><input name="code" maxlength="40" autocomplete="one-time-code"></label></p>
<button>Sign in and join</button></form>`,
  ),
  '/reset-password': page(
    'New password',
    `<form id="reset" hidden>${newPassword}<button>Set it as my password</button></form>`,
  ),
}

/** Where one-time links lead. What stands behind the # stays in the browser until its owner sends it. */
export function serveLinkPages(app: FastifyInstance): void {
  const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8')
  const script = read('one-time-link.js')
  const style = read('one-time-link.css')
  for (const [path, html] of Object.entries(pages)) {
    app.get(path, (_, reply) => reply.header('content-security-policy', policy).type('text/html').send(html))
  }
  app.get('/one-time-link.js', (_, reply) => reply.type('text/javascript').send(script))
  app.get('/one-time-link.css', (_, reply) => reply.type('text/css').send(style))
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Gatehouse: ${title}</title><link rel="stylesheet" href="/one-time-link.css"><script type="module" src="/one-time-link.js"></script></head>
<body><main><span class="brand">Gatehouse</span><h1>${title}</h1><p id="said" role="status"></p><p id="wrong" role="alert"></p>${body}
<a id="next" class="next" href="/sign-in" hidden>Sign in</a></main></body></html>`
}
