import { withSessionCookie } from '../../../kernel/contract/answer-cookies.ts'
import type { Api } from '../../../kernel/contract/api.ts'
import type { SessionService } from '../service.ts'
import { endSession, getSession, openSession, reauthenticate, signInWithPasskey } from './browser-contract.ts'
import type { BrowserSessions } from './browser-sessions.ts'

export function browserSessionRoutes(api: Api, browsers: BrowserSessions, sessions: SessionService): void {
  api.serve(openSession, async ({ body, address, requestId, cookie }) => {
    const origin = { address, requestId }
    const { secret, seconds, session } = await browsers.open(body, origin, cookie)
    return withSessionCookie({ session }, { secret, seconds })
  })
  api.serve(signInWithPasskey, async ({ body, address, requestId, cookie }) => {
    const { secret, seconds, session } = await browsers.openByPasskey(body.credential, { address, requestId }, cookie)
    return withSessionCookie({ session }, { secret, seconds })
  })
  api.serve(getSession, ({ caller }) => browsers.describe(caller))
  api.serve(endSession, async ({ caller }) => {
    await sessions.logout(caller.sessionId)
    return withSessionCookie({ signedOut: true }, null)
  })
  api.serve(reauthenticate, async ({ caller, body, address, requestId }) => ({
    session: await browsers.reauthenticate(caller, body, { address, requestId }),
  }))
}
