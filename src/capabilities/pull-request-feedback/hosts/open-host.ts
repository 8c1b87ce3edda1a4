import type { Clock } from '../../../kernel/time/clock.ts'
import type { Outbound } from '../../../outbound/client/client.ts'
import type { KeyRing } from '../../../vault/key-ring.ts'
import { sealedColumns, sealedFieldOf } from '../../../vault/rotation/sealed-columns.ts'
import type { findWithCredential } from '../store.ts'
import type { CodeHostClient } from './code-host.ts'
import { createGitHub, gitHubHeaders, tokenPermissions } from './github.ts'
import { appPermissions, createGitHubApp } from './github-app.ts'
import { createGitLab, gitLabPermissions } from './gitlab.ts'
import { createHostAsk, fieldsOf, textOf } from './host-request.ts'

export type HostOptions = { ring: KeyRing; outbound: Outbound; clock: Clock }
type Row = NonNullable<Awaited<ReturnType<typeof findWithCredential>>>

/** The way to a code host, for one of its repositories. The credential is opened here and nowhere else. */
export function createHostOpener({ ring, outbound, clock }: HostOptions) {
  return async (deploymentId: number, row: Row, repository: string, signal?: AbortSignal): Promise<CodeHostClient> => {
    const place = sealedFieldOf(sealedColumns.codeHostCredential, row.id)
    const credential = (await ring.open(String(deploymentId), row.credential, place)).toString('utf8')
    const { kind, auth, apiUrl } = row
    if (kind === 'gitlab') {
      const authorization = `Bearer ${credential}`
      const headers = { accept: 'application/json' }
      const connection = { apiUrl, authorization, headers, permissions: gitLabPermissions, signal }
      return createGitLab(createHostAsk(outbound, connection), repository)
    }
    const app =
      auth === 'app' ? createGitHubApp(outbound, { ...row, privateKeyPem: credential }, clock.now(), signal) : undefined
    const ask = createHostAsk(outbound, {
      apiUrl,
      authorization: `Bearer ${app ? await app.requestToken() : credential}`,
      headers: gitHubHeaders,
      permissions: app ? appPermissions : tokenPermissions,
      signal,
    })
    const ofToken = async () => textOf(fieldsOf((await ask('GET', 'user')).body).login)
    return createGitHub(ask, repository, { isApp: app !== undefined, findAccount: app?.findAccount ?? ofToken })
  }
}
