import { useState } from 'react'
import type { Person } from '../../../src/capabilities/people/contract.ts'
import type { Invitation } from '../../../src/capabilities/people/invitations/invitation-contract.ts'
import { useAsk, useChange } from '../../api/ask.ts'
import { useSessionState } from '../../api/session.ts'
import { firstOf } from '../../app/address/address.ts'
import { goSearch, usePlace } from '../../app/address/location.ts'
import { useDeployment, useMay } from '../../app/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { SearchField } from '../../ui/forms/search-field.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { Confirm } from '../../ui/overlays/confirm.tsx'
import { Menu } from '../../ui/overlays/menu.tsx'
import { ShownOnce } from '../../ui/overlays/shown-once.tsx'
import { say, sayFailure } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { Empty, Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { plainly } from '../../ui/text/foreign-text.ts'
import { Ago, Tag } from '../../ui/text/marks.tsx'
import { plural } from '../../ui/text/words.ts'
import { SettingsPage } from '../frame.tsx'
import { matchesText, roleAbout, roles } from '../words.ts'
import { Invitations, InviteDialog, RevokeDialog } from './invitations.tsx'

type Open =
  | { what: 'invite' }
  | { what: 'remove' | 'reset' | 'factors'; person: Person }
  | { what: 'revoke'; invitation: Invitation }
  | { what: 'link'; link: string; about: string }

export default function PeoplePage() {
  const { pairs } = usePlace()
  const { id: ownId } = useSessionState().session!.person
  const { role: ownRole } = useDeployment()
  const people = useAsk('listPeople')
  const write = useMay('people:write')
  const [open, setOpen] = useState<Open>()
  const change = useChange('changePerson', ['listPeople'])
  const remove = useChange('removePerson', ['listPeople', 'listFormerPeople', 'listInvitations'])
  const reset = useChange('createResetLink')
  const resetFactors = useChange('resetFactors', ['listPeople'])
  const words = firstOf(pairs, 'q') ?? ''
  const close = () => setOpen(undefined)

  const give = (person: Person, role: Person['role'], undone = false): void =>
    change.mutate(
      { params: { personId: person.id }, body: { role } },
      {
        onSuccess: () =>
          say(
            `${person.name} is ${role}${undone ? ' again' : ''}.`,
            undone ? undefined : () => give({ ...person, role }, person.role, true),
          ),
        onError: (problem) => sayFailure(`Not changed: ${problem.message}`),
      },
    )
  const shown = people.data?.people.filter((person) => matchesText(words, person.name, person.email, person.role)) ?? []
  return (
    <SettingsPage
      title="People"
      about="Who belongs to this deployment, and what they may do."
      actions={
        <Button look="primary" why={write.why} onClick={() => setOpen({ what: 'invite' })}>
          Invite
        </Button>
      }
    >
      <Card title="Members" aside={people.data && plural(people.data.people.length, 'person', 'people')}>
        <SearchField label="Search name, e-mail or role" name="q" pairs={pairs} />
        <Part of={people}>
          {() =>
            shown.length === 0 ? (
              <Empty title="Nobody matches">
                <Button onClick={() => goSearch([])}>Show everybody</Button>
              </Empty>
            ) : (
              <Table
                label="Members"
                rows={shown}
                keyOf={(person) => person.id}
                columns={[
                  {
                    label: 'Name',
                    cell: (person) => (
                      <>
                        <Foreign text={person.name} /> {person.id === ownId && <Tag>you</Tag>}
                        {person.suspendedAt && <Tag tone="warn">suspended</Tag>}
                        <div className="muted small">
                          <Foreign text={person.email} />
                        </div>
                      </>
                    ),
                  },
                  {
                    label: 'Role',
                    cell: (person) => (
                      <select
                        className="input"
                        aria-label={`Role of ${plainly(person.name)}`}
                        title={write.why ?? roleAbout[person.role]}
                        disabled={!write.may}
                        value={person.role}
                        onChange={(event) => give(person, event.target.value as Person['role'])}
                      >
                        {roles.map((role) => (
                          <option key={role} value={role}>
                            {role}
                          </option>
                        ))}
                      </select>
                    ),
                  },
                  ...(write.may
                    ? [
                        {
                          label: 'Second factor',
                          cell: (person: Person) => (
                            <Tag tone={person.secondFactor ? 'ok' : undefined}>
                              {person.secondFactor ? 'yes' : 'no'}
                            </Tag>
                          ),
                        },
                      ]
                    : []),
                  { label: 'Last sign-in', cell: (person) => <Ago at={person.lastSignInAt} /> },
                  { label: 'Since', cell: (person) => <Ago at={person.createdAt} /> },
                  {
                    label: 'Actions',
                    quiet: true,
                    end: true,
                    cell: (person) => (
                      <Menu
                        label={`Actions for ${person.name}`}
                        items={[
                          {
                            label: 'Make a password reset link…',
                            why: ownRole === 'owner' ? undefined : 'This takes the role owner.',
                            run: () => setOpen({ what: 'reset', person }),
                          },
                          {
                            label: 'Remove second factors…',
                            why:
                              write.why ??
                              (person.id === ownId
                                ? 'Yours are on your profile.'
                                : person.secondFactor
                                  ? undefined
                                  : 'There is none.'),
                            run: () => setOpen({ what: 'factors', person }),
                          },
                          {
                            label: 'Remove from this deployment…',
                            why: write.why,
                            run: () => setOpen({ what: 'remove', person }),
                          },
                        ]}
                      >
                        <Icon name="dots" />
                      </Menu>
                    ),
                  },
                ]}
              />
            )
          }
        </Part>
      </Card>
      {write.may && (
        <Invitations
          onLink={(link, about) => setOpen({ what: 'link', link, about })}
          onRevoke={(invitation) => setOpen({ what: 'revoke', invitation })}
        />
      )}
      {open?.what === 'invite' && (
        <InviteDialog
          onClose={close}
          onInvited={({ link, invitation }) =>
            link
              ? setOpen({ what: 'link', link, about: `Hand it over to ${invitation.email}. It works for seven days.` })
              : close()
          }
        />
      )}
      {open?.what === 'remove' && (
        <Confirm
          title={`Remove ${open.person.name}`}
          action={`Remove ${open.person.name}`}
          onClose={close}
          run={() =>
            remove
              .mutateAsync({ params: { personId: open.person.id } })
              .then(() => say(`${open.person.name} was removed.`, 'no undo'))
          }
        >
          <p>
            {open.person.email} loses access at once. With them go their tokens, their places in teams, what is assigned
            to them, their views that are not shared, and the invitations they sent that nobody has accepted yet.
          </p>
          <p>
            Everything they decided or wrote stays, with their name, and so do automations, memories, service accounts
            and shared views that they made. To bring them back, invite them again.
          </p>
        </Confirm>
      )}
      {open?.what === 'reset' && (
        <Confirm
          title={`Reset link for ${open.person.name}`}
          action="Make the link"
          onClose={() => setOpen((now) => (now?.what === 'reset' ? undefined : now))}
          run={() =>
            reset.mutateAsync({ params: { personId: open.person.id } }).then(({ link, expiresAt }) => {
              reset.reset()
              setOpen({
                what: 'link',
                link,
                about: `Hand it over to ${open.person.email}. It works once, until ${new Date(expiresAt).toLocaleTimeString('en-GB')}.`,
              })
            })
          }
        >
          <p>
            Whoever has the link can set a new password for {open.person.email}. It works once, for an hour. Making it
            changes nothing yet.
          </p>
        </Confirm>
      )}
      {open?.what === 'factors' && (
        <Confirm
          title={`Remove the second factors of ${open.person.name}`}
          action="Remove them"
          onClose={close}
          run={() =>
            resetFactors
              .mutateAsync({ params: { personId: open.person.id } })
              .then(() => say(`${open.person.name} has no second factor any more.`, 'no undo'))
          }
        >
          <p>
            For somebody who has lost them and their recovery codes. Make sure that it is {open.person.email} who asks:
            from then on the password alone signs in. All their sessions end, and they are told by mail.
          </p>
        </Confirm>
      )}
      {open?.what === 'revoke' && <RevokeDialog invitation={open.invitation} onClose={close} />}
      {open?.what === 'link' && (
        <ShownOnce title="One-time link" secret={open.link} label="the link" onClose={close}>
          <p className="muted">{open.about}</p>
        </ShownOnce>
      )}
    </SettingsPage>
  )
}
