import { useState } from 'react'
import type { Person } from '../../../src/capabilities/people/contract.ts'
import type { Invitation, Invited } from '../../../src/capabilities/people/invitations/invitation-contract.ts'
import { useAsk, useChange } from '../../api/ask.ts'
import { Button } from '../../ui/button.tsx'
import { Input, Select } from '../../ui/forms/field.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { Confirm } from '../../ui/overlays/confirm.tsx'
import { say, sayFailure } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Exact, Tag } from '../../ui/text/marks.tsx'
import { plural } from '../../ui/text/words.ts'
import { roleAbout, roles } from '../words.ts'

export function InviteDialog({ onClose, onInvited }: { onClose: () => void; onInvited: (invited: Invited) => void }) {
  const [role, setRole] = useState<Person['role']>('member')
  const deployment = useAsk('getDeployment')
  const add = useChange('addPerson', ['listInvitations'])
  return (
    <FormDialog
      title="Invite a person"
      action="Invite"
      onClose={onClose}
      run={async (form) => {
        const name = form.text('name')
        const invited = await add.mutateAsync({ body: { email: form.text('email'), role, ...(name && { name }) } })
        add.reset()
        if (!invited.link) say(`An invitation is on its way to ${invited.invitation.email}.`, 'no undo')
        // The dialog closes itself after this; what is shown next waits for that.
        setTimeout(() => onInvited(invited))
      }}
    >
      {(about) => (
        <>
          <Input label="E-mail" name="email" type="email" required maxLength={254} wrong={about('/email')} autoFocus />
          <Input label="Name (optional)" name="name" maxLength={200} wrong={about('/name')} />
          <Select
            label="Role"
            choices={roles}
            value={role}
            hint={`${roleAbout[role]} ${whatTheySee(role, deployment.data?.deployment.newPeopleSee)}`}
            wrong={about('/role')}
            onChange={(event) => setRole(event.target.value as Person['role'])}
          />
        </>
      )}
    </FormDialog>
  )
}

/** So that nobody is shown more, or less, than whoever invites them thinks. */
function whatTheySee(role: Person['role'], newPeopleSee: 'all' | 'teams' | undefined): string {
  if (role === 'owner' || role === 'admin') return 'They see every repository.'
  if (newPeopleSee === undefined) return ''
  return newPeopleSee === 'all'
    ? 'They join the teams for new people and see all repositories: Settings, System changes that.'
    : 'They see nothing until somebody puts them into a team.'
}

type InvitationsProps = { onLink: (link: string, about: string) => void; onRevoke: (invitation: Invitation) => void }

export function Invitations({ onLink, onRevoke }: InvitationsProps) {
  const invitations = useAsk('listInvitations')
  const renew = useChange('renewInvitation', ['listInvitations'])
  const again = (invitation: Invitation) =>
    renew.mutate(
      { params: { invitationId: invitation.id } },
      {
        onSuccess: ({ link }) => {
          renew.reset()
          if (link) onLink(link, `Hand it over to ${invitation.email}. The link before it has ended.`)
          else say(`A new invitation is on its way to ${invitation.email}.`, 'no undo')
        },
        onError: (problem) => sayFailure(`Not renewed: ${problem.message}`),
      },
    )
  return (
    <Card
      title="Invitations"
      aside={invitations.data && plural(invitations.data.invitations.length, 'waiting', 'waiting')}
    >
      <Part of={invitations}>
        {({ invitations: rows }) =>
          rows.length === 0 ? (
            <p className="muted">Nobody is invited now. An invitation works for seven days.</p>
          ) : (
            <Table
              label="Invitations"
              rows={rows}
              keyOf={(row) => row.id}
              columns={[
                { label: 'E-mail', cell: (row) => <Foreign text={row.email} /> },
                { label: 'Role', cell: (row) => row.role },
                {
                  label: 'Delivery',
                  cell: (row) => (row.delivery === 'link' ? 'link' : row.mailedAt ? 'mailed' : 'being mailed'),
                },
                {
                  label: 'Ends',
                  cell: (row) =>
                    Date.parse(row.expiresAt) < Date.now() ? (
                      <Tag tone="warn">Expired</Tag>
                    ) : (
                      <Exact at={row.expiresAt} />
                    ),
                },
                {
                  label: 'Actions',
                  quiet: true,
                  end: true,
                  cell: (row) => (
                    <span className="row tight end">
                      <Button onClick={() => again(row)}>Renew</Button>
                      <Button look="danger" onClick={() => onRevoke(row)}>
                        Revoke
                      </Button>
                    </span>
                  ),
                },
              ]}
            />
          )
        }
      </Part>
    </Card>
  )
}

export function RevokeDialog({ invitation, onClose }: { invitation: Invitation; onClose: () => void }) {
  const revoke = useChange('revokeInvitation', ['listInvitations'])
  return (
    <Confirm
      title="Revoke an invitation"
      action={`Revoke the invitation of ${invitation.email}`}
      onClose={onClose}
      run={() =>
        revoke
          .mutateAsync({ params: { invitationId: invitation.id } })
          .then(() => say(`The invitation of ${invitation.email} has ended.`, 'no undo'))
      }
    >
      <p>Its link ends at once. {invitation.email} can be invited again.</p>
    </Confirm>
  )
}
