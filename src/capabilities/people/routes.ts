import type { Api } from '../../kernel/contract/api.ts'
import { changePassword, changePerson, listFormerPeople, listPeople, removePerson } from './contract.ts'
import {
  acceptInvitation,
  addPerson,
  joinDeployment,
  listInvitations,
  renewInvitation,
  revokeInvitation,
  showInvitation,
} from './invitations/invitation-contract.ts'
import type { OwnPassword } from './passwords/own-password.ts'
import type { People } from './people.ts'
import { createResetLink, requestPasswordReset, resetPassword } from './resets/reset-contract.ts'

type PeopleParts = Pick<People, 'service' | 'invitations' | 'acceptance' | 'resets'> & {
  ownPassword: OwnPassword
  /** Told when somebody has chosen another password. */
  onPasswordChange: (personId: number) => Promise<void>
}

export function peopleRoutes(
  api: Api,
  { service: people, ownPassword, onPasswordChange, ...parts }: PeopleParts,
): void {
  api.serve(listPeople, ({ actor, query }) => people.list(actor, query))
  api.serve(listFormerPeople, ({ actor }) => people.listFormer(actor))
  api.serve(changePerson, async ({ actor, params, body }) => ({
    person: await people.changeRole(actor, params.personId, body.role),
  }))
  api.serve(removePerson, async ({ actor, params }) => ({ person: await people.remove(actor, params.personId) }))
  api.serve(changePassword, async ({ caller, body, address, requestId }) => {
    await ownPassword.change(caller, body, { address, requestId })
    await onPasswordChange(caller.personId)
    return { changed: true }
  })
  invitationRoutes(api, parts)
  resetRoutes(api, parts)
}

function invitationRoutes(api: Api, { invitations, acceptance }: Pick<People, 'invitations' | 'acceptance'>): void {
  api.serve(addPerson, ({ actor, body }) => invitations.invite(actor, body))
  api.serve(listInvitations, ({ actor }) => invitations.list(actor))
  api.serve(renewInvitation, ({ actor, params }) => invitations.renew(actor, params.invitationId))
  api.serve(revokeInvitation, async ({ actor, params }) => ({
    invitation: await invitations.revoke(actor, params.invitationId),
  }))
  api.serve(showInvitation, ({ body, address }) => acceptance.show(body.token, address))
  api.serve(acceptInvitation, ({ body: { token, ...account }, address, requestId }) =>
    acceptance.accept({ token, address, requestId }, account),
  )
  api.serve(joinDeployment, ({ caller, body: { token }, address, requestId }) =>
    acceptance.acceptAs(caller, { token, address, requestId }),
  )
}

function resetRoutes(api: Api, { resets }: Pick<People, 'resets'>): void {
  api.serve(createResetLink, ({ actor, params }) => resets.linkByOwner(actor, params.personId))
  api.serve(requestPasswordReset, async ({ body, address, requestId }) => {
    await resets.request(body.email, address, requestId)
    return { requested: true }
  })
  api.serve(resetPassword, async ({ body: { token, password }, address, requestId }) => {
    await resets.use(token, password, { address, requestId })
    return { changed: true }
  })
}
