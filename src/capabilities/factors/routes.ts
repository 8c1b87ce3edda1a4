import type { Api } from '../../kernel/contract/api.ts'
import * as contract from './contract.ts'
import type { OwnFactorService } from './own-factors.ts'
import type { Passkeys } from './passkeys/passkeys.ts'
import type { FactorReset } from './reset.ts'

export type FactorParts = { own: OwnFactorService; passkeys: Passkeys; reset: FactorReset }

export function factorRoutes(api: Api, { own, passkeys, reset }: FactorParts): void {
  api.serve(contract.getOwnFactors, ({ caller }) => own.show(caller))
  api.serve(contract.beginAuthenticatorApp, ({ caller }) => own.beginApp(caller))
  api.serve(contract.confirmAuthenticatorApp, ({ caller, body, requestId }) =>
    own.confirmApp(caller, body.code, requestId),
  )
  api.serve(contract.removeAuthenticatorApp, async ({ caller, requestId }) => ({
    factors: await own.removeApp(caller, requestId),
  }))
  api.serve(contract.beginPasskey, async ({ caller }) => ({ options: { ...(await own.offerPasskey(caller)) } }))
  api.serve(contract.addPasskey, ({ caller, body, requestId }) => own.addPasskey(caller, body, requestId))
  api.serve(contract.removePasskey, async ({ caller, params, requestId }) => ({
    factors: await own.removePasskey(caller, params.passkeyId, requestId),
  }))
  api.serve(contract.renewRecoveryCodes, async ({ caller, requestId }) => ({
    recoveryCodes: await own.renewCodes(caller, requestId),
  }))
  api.serve(contract.beginPasskeySignIn, async ({ address }) => ({
    options: { ...(await passkeys.offerSignIn(address)) },
  }))
  api.serve(contract.resetFactors, async ({ actor, params }) => ({
    person: await reset.byDeployment(actor, params.personId),
  }))
}
