import { useState } from 'react'
import type { Team } from '../../../src/capabilities/teams/contract.ts'
import { queryClient, refresh, useChange, useFresh, useTagged, useTaggedChange } from '../../api/ask.ts'
import { go } from '../../app/address/location.ts'
import { useMay, usePathTo } from '../../app/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { Check, Input } from '../../ui/forms/field.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { Confirm } from '../../ui/overlays/confirm.tsx'
import { say, sayFailure } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { Stale } from '../../ui/stale.tsx'
import { Part } from '../../ui/states.tsx'
import { SettingsPage } from '../frame.tsx'
import { Claims } from './team-claims.tsx'
import { Members, Repositories, touched } from './team-content.tsx'

export default function TeamPage({ params }: { params: Record<string, string> }) {
  const to = usePathTo()
  const teamId = Number(params.id)
  const asked = useTagged('getTeam', { params: { teamId } })
  const back = { to: to('settings/teams'), label: 'All teams' }
  const team = asked.data?.data.team
  const write = useMay('teams:write')
  const manage = team?.authorizedScopes.includes('TEAM_SCOPE_MANAGE') || write.may
  const why = manage ? undefined : 'Owners, admins and managers of the team may.'
  const [open, setOpen] = useState<'rename' | 'delete'>()
  return (
    <SettingsPage
      title={team?.name ?? 'Team'}
      back={back}
      actions={
        team && (
          <>
            <Button why={why} onClick={() => setOpen('rename')}>
              Rename
            </Button>
            <Button look="danger" why={write.why} onClick={() => setOpen('delete')}>
              Delete…
            </Button>
          </>
        )
      }
    >
      <Part of={asked}>
        {({ data, etag }) => (
          <>
            <Members teamId={teamId} why={why} />
            <Repositories teamId={teamId} total={Number(data.team.repositoryCount)} why={why} />
            {data.team.authorizedScopes.length > 0 && <Claims teamId={teamId} why={write.why} />}
            <Defaults team={data.team} etag={etag} why={write.why} />
            {open === 'rename' && <RenameDialog team={data.team} etag={etag} onClose={() => setOpen(undefined)} />}
            {open === 'delete' && <DeleteDialog team={data.team} etag={etag} onClose={() => setOpen(undefined)} />}
          </>
        )}
      </Part>
    </SettingsPage>
  )
}

type Dialogs = { team: Team; etag: string | undefined; onClose: () => void }

type DefaultsBody = { isUserDefault?: boolean; isProjectDefault?: boolean }
const defaultNames = [
  ['isUserDefault', 'New people are put into this team'],
  ['isProjectDefault', 'New repositories are put into this team'],
] as const
const yesNo = (value: boolean) => (value ? 'yes' : 'no')

function Defaults({ team, etag, why }: Omit<Dialogs, 'onClose'> & { why: string | undefined }) {
  const update = useChange('updateTeamDefaults', touched)
  const fresh = useFresh('getTeam')
  const [conflict, setConflict] = useState<{ mine: DefaultsBody; theirs: Team; etag: string | undefined }>()
  const set = (body: DefaultsBody, ifMatch = etag) =>
    update.mutate(
      { params: { teamId: Number(team.id) }, body, ifMatch },
      {
        onSuccess: () => {
          setConflict(undefined)
          say('Saved.', 'no undo')
        },
        onError: (problem) =>
          problem.status === 412 ? void compare(body) : sayFailure(`Not saved: ${problem.message}`),
      },
    )
  const compare = async (mine: DefaultsBody) => {
    const { data, etag: now } = await fresh({ params: { teamId: Number(team.id) } })
    setConflict({ mine, theirs: data.team, etag: now })
  }
  return (
    <Card title="By default">
      {conflict && (
        <Stale
          differences={defaultNames
            .filter(([key]) => conflict.mine[key] !== undefined && conflict.mine[key] !== conflict.theirs[key])
            .map(([key, name]) => ({ name, mine: yesNo(conflict.mine[key]!), theirs: yesNo(conflict.theirs[key]) }))}
          onTheirs={() => {
            setConflict(undefined)
            void refresh(queryClient, touched)
          }}
          onMine={() => set(conflict.mine, conflict.etag)}
        />
      )}
      <p className="muted">This adds nobody now and takes nobody out. It is about who and what comes later.</p>
      <div className="stack tight">
        <Check
          label="New people are put into this team"
          checked={team.isUserDefault}
          disabled={why !== undefined}
          title={why}
          onChange={(event) => set({ isUserDefault: event.target.checked })}
        />
        <Check
          label="New repositories are put into this team"
          checked={team.isProjectDefault}
          disabled={why !== undefined}
          title={why}
          onChange={(event) => set({ isProjectDefault: event.target.checked })}
        />
      </div>
    </Card>
  )
}

function RenameDialog({ team, etag, onClose }: Dialogs) {
  const update = useTaggedChange('updateTeam', touched)
  const fresh = useFresh('getTeam')
  const rename = (name: string, ifMatch?: string) =>
    update.mutateAsync({ params: { teamId: Number(team.id) }, body: { team: { name } }, ifMatch })
  return (
    <FormDialog
      title="Rename the team"
      action="Rename"
      onClose={onClose}
      current={async () => {
        const { data, etag: now } = await fresh({ params: { teamId: Number(team.id) } })
        return { etag: now, fields: [{ name: 'name', label: 'Name', value: data.team.name }] }
      }}
      etag={etag}
      run={async (form, ifMatch) => {
        const { etag: made } = await rename(form.text('name'), ifMatch)
        say('The team is renamed.', () =>
          rename(team.name, made).then(() => say(`Undone: the team is named ${team.name} again.`)),
        )
      }}
    >
      {(about) => (
        <Input
          label="Name"
          name="name"
          required
          maxLength={200}
          defaultValue={team.name}
          hint={`Its slug stays ${team.slug}, so that links go on working.`}
          wrong={about('/name')}
          autoFocus
        />
      )}
    </FormDialog>
  )
}

function DeleteDialog({ team, etag, onClose }: Dialogs) {
  const to = usePathTo()
  const remove = useChange('deleteTeam', ['listTeams'])
  const fresh = useFresh('getTeam')
  const params = { teamId: Number(team.id) }
  const fieldsOf = ({ name, userCount, repositoryCount }: Dialogs['team']) => [
    { name: 'name', label: 'Name', value: name },
    { name: 'people', label: 'People', value: String(userCount) },
    { name: 'repositories', label: 'Repositories', value: String(repositoryCount) },
  ]
  return (
    <Confirm
      title={`Delete the team ${team.name}`}
      action={`Delete ${team.name}`}
      onClose={onClose}
      versions={{
        seen: { etag, fields: fieldsOf(team) },
        current: async () => {
          const { data, etag: now } = await fresh({ params })
          return { etag: now, fields: fieldsOf(data.team) }
        },
      }}
      run={async (ifMatch) => {
        await remove.mutateAsync({ params, ifMatch })
        say(`The team ${team.name} is deleted.`, 'no undo')
        go(to('settings/teams'))
      }}
    >
      <p>
        {team.userCount} people lose what they see only through it: {team.repositoryCount} repositories. People and
        repositories themselves stay. A team that has teams below it cannot be deleted.
      </p>
    </Confirm>
  )
}
