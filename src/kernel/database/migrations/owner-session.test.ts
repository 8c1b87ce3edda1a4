import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectProblem } from './owner-session.ts'

// As PostgreSQL 15 and Node say it.
const unencrypted = 'no pg_hba.conf entry for host "10.0.0.5", user "gatehouse", database "gatehouse", no encryption'

const said: [code: string, message: string, told: RegExp][] = [
  ['28P01', 'password authentication failed for user "gatehouse"', /refuses the user or password in DATABASE_URL/],
  ['28000', unencrypted, /does not let the login in DATABASE_URL in: no pg_hba\.conf entry .* no encryption\.$/],
  ['28000', 'role "gatehouse" is not permitted to log in', /is not permitted to log in\.$/],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain', /certificate .*sslrootcert=/],
  ['CERT_HAS_EXPIRED', 'certificate has expired', /not accepted \(CERT_HAS_EXPIRED\)/],
  ['ERR_TLS_CERT_ALTNAME_INVALID', "Hostname/IP does not match certificate's altnames", /not accepted \(ERR_TLS_CERT/],
]

for (const [code, message, told] of said) {
  test(`a login that fails with ${code} ${message} is told why`, () => {
    assert.match(connectProblem(Object.assign(new Error(message), { code }), {}).message, told)
  })
}
