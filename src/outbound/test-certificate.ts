import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Why a test with TLS is skipped, or false. */
export const withoutOpenssl = spawnSync('openssl', ['version']).status !== 0 && 'openssl is not installed'

/** Its own authority, for names like `DNS:registry.test`. */
export function certificateFor(names: string): { key: string; cert: string } {
  const folder = mkdtempSync(join(tmpdir(), 'outbound-'))
  try {
    const [key, cert] = [join(folder, 'key'), join(folder, 'cert')]
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    const rest = ['-subj', '/CN=test', '-addext', `subjectAltName=${names}`, '-keyout', key, '-out', cert]
    execFileSync('openssl', ['req', '-x509', '-days', '2', ...kind, ...rest], { stdio: 'ignore' })
    return { key: readFileSync(key, 'utf8'), cert: readFileSync(cert, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
