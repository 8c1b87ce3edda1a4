import type { Api } from '../../kernel/contract/api.ts'
import { getJwks, login, logout, refresh } from './contract.ts'
import type { SessionService } from './service.ts'
import type { SigningKeys } from './tokens/signing-keys.ts'

export function sessionRoutes(api: Api, sessions: SessionService, keys: SigningKeys): void {
  api.serve(login, ({ body, address, requestId }) => sessions.login(body, { address, requestId }))
  api.serve(refresh, ({ body, address, requestId }) => sessions.refresh(body.refreshToken, { address, requestId }))
  api.serve(logout, async ({ caller }) => {
    await sessions.logout(caller.sessionId)
    return { signedOut: true }
  })
  api.serve(getJwks, async () => ({ keys: await keys.publicKeys() }))
}
