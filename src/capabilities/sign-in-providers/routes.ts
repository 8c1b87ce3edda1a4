import { withSessionCookie, withSignInCookie } from '../../kernel/contract/answer-cookies.ts'
import type { Api } from '../../kernel/contract/api.ts'
import {
  createSignInProvider,
  deleteSignInProvider,
  listSignInProviders,
  replaceSignInProvider,
  trySignInProvider,
} from './contract.ts'
import {
  backChannelLogout,
  confirmProviderLink,
  finishProviderSignIn,
  listProviderButtons,
  startProviderSignIn,
} from './flow/flow-contract.ts'
import type { ProviderSignIn } from './flow/sign-in.ts'
import type { BackChannelLogout } from './logout/logout.ts'
import type { SignInProviderService } from './service.ts'

export function signInProviderRoutes(
  api: Api,
  {
    providers,
    signIn,
    logout,
  }: { providers: SignInProviderService; signIn: ProviderSignIn; logout: BackChannelLogout },
): void {
  api.serve(listSignInProviders, ({ actor }) => providers.list(actor))
  api.serve(createSignInProvider, async ({ actor, caller, body }) => ({
    provider: await providers.create(actor, caller, body),
  }))
  api.serve(replaceSignInProvider, async ({ actor, caller, params, body }) => ({
    provider: await providers.replace(actor, caller, params.providerId, body),
  }))
  api.serve(deleteSignInProvider, async ({ actor, caller, params }) => ({
    provider: await providers.remove(actor, caller, params.providerId),
  }))
  api.serve(trySignInProvider, ({ actor, params }) => providers.attempt(actor, params.providerId))

  api.serve(listProviderButtons, ({ query }) => signIn.buttons(query.domain))
  api.serve(startProviderSignIn, async ({ params, body, cookie, requestId }) => {
    const begun = await signIn.start(params.providerId, body, cookie, requestId)
    return withSignInCookie({ url: begun.url }, begun.cookie)
  })
  api.serve(finishProviderSignIn, async ({ params, body, signInCookie, address, requestId }) => {
    const { answer, opened } = await signIn.finish(params.providerId, body.parameters, signInCookie, {
      address,
      requestId,
    })
    // The cookie of the sign-in stays while a confirmation is awaited.
    return opened ? withSignInCookie(withSessionCookie(answer, opened), null) : answer
  })
  api.serve(confirmProviderLink, async ({ caller, signInCookie, requestId }) =>
    withSignInCookie(await signIn.confirm(caller, signInCookie, requestId), null),
  )
  api.serve(backChannelLogout, ({ params, body, requestId }) =>
    logout.logout(params.providerId, body.logout_token, requestId),
  )
}
