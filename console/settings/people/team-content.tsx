import type { TeamRole, UserEntry } from '../../../src/capabilities/teams/contract.ts'
import { useAsk, useChange, usePages } from '../../api/ask.ts'
import type { OperationId } from '../../api/contracts.ts'
import { useMay, usePathTo } from '../../app/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { Chooser } from '../../ui/forms/chooser.tsx'
import { RepositoryChooser } from '../../ui/forms/repository-chooser.tsx'
import { Link } from '../../ui/link.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { say, sayFailure } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { plainly } from '../../ui/text/foreign-text.ts'
import { plural } from '../../ui/text/words.ts'
import { addressWords } from '../words.ts'

export const touched: OperationId[] = ['getTeam', 'listTeams', 'listTeamMembers', 'listTeamRepositories']
const roleNames: Record<TeamRole, string> = {
  TEAM_ROLE_MEMBER: 'member',
  TEAM_ROLE_MANAGER: 'manager',
  TEAM_ROLE_READONLY: 'readonly',
}

function useUsers(teamId: number) {
  const update = useChange('updateTeam', touched)
  return (entry: UserEntry, done: string, undo?: UserEntry) => {
    const send = (one: UserEntry, said: string, back?: UserEntry): void =>
      update.mutate(
        { params: { teamId }, body: { team: { users: [one] } } },
        {
          onSuccess: () => say(said, back && (() => send(back, 'Undone: the people of the team are as they were.'))),
          onError: (problem) => sayFailure(`Not done: ${problem.message}`),
        },
      )
    send(entry, done, undo)
  }
}

/** Who is in the team, and what they are in it. */
export function Members({ teamId, why }: { teamId: number; why: string | undefined }) {
  const members = usePages('listTeamMembers', { params: { teamId }, query: { pageSize: 100 } })
  const people = useAsk('listPeople')
  const change = useUsers(teamId)
  const rows = members.data?.pages.flatMap((page) => page.members) ?? []
  const services = useMay('service-accounts:read')
  const accounts = useAsk('listServiceAccounts', {}, { enabled: services.may })
  const others = [...(people.data?.people ?? []), ...(accounts.data?.serviceAccounts ?? [])].filter(
    (person) => !rows.some((row) => row.userId === person.id),
  )
  return (
    <Card
      title="People"
      aside={
        why ? undefined : (
          <Chooser
            label="Add a person"
            empty="Add a person"
            chosen={[]}
            options={others.map((person) => ({
              value: String(person.id),
              label: `${person.name} · ${addressWords(person.email)}`,
            }))}
            onChoose={([id]) => {
              const person = others.find((each) => String(each.id) === id)
              if (person)
                change(
                  { userId: person.id, role: 'TEAM_ROLE_MEMBER', action: 'UPDATE_ACTION_ADD' },
                  `${person.name} is in the team.`,
                  { userId: person.id, action: 'UPDATE_ACTION_REMOVE' },
                )
            }}
          />
        )
      }
    >
      <Part of={members}>
        {() =>
          rows.length === 0 ? (
            <p className="muted">Nobody is in this team yet.</p>
          ) : (
            <Table
              label="People of the team"
              rows={rows}
              keyOf={(row) => row.userId}
              columns={[
                {
                  label: 'Name',
                  cell: (row) => (
                    <>
                      <Foreign text={row.name} />
                      <div className="muted small">
                        <Foreign text={addressWords(row.email)} />
                      </div>
                    </>
                  ),
                },
                {
                  label: 'Role in the team',
                  cell: (row) => (
                    <select
                      className="input"
                      aria-label={`Role of ${plainly(row.name)} in the team`}
                      title={why}
                      disabled={why !== undefined}
                      value={row.role}
                      onChange={(event) => {
                        const role = event.target.value as TeamRole
                        const entry = { userId: row.userId, action: 'UPDATE_ACTION_UPDATE' } as const
                        change({ ...entry, role }, `${row.name} is ${roleNames[role]}.`, { ...entry, role: row.role })
                      }}
                    >
                      {Object.entries(roleNames).map(([value, name]) => (
                        <option key={value} value={value}>
                          {name}
                        </option>
                      ))}
                    </select>
                  ),
                },
                {
                  label: 'Actions',
                  quiet: true,
                  end: true,
                  cell: (row) => (
                    <Button
                      why={why}
                      aria-label={`Remove ${row.name} from the team`}
                      onClick={() =>
                        change(
                          { userId: row.userId, action: 'UPDATE_ACTION_REMOVE' },
                          `${row.name} is no longer in the team.`,
                          { userId: row.userId, role: row.role, action: 'UPDATE_ACTION_ADD' },
                        )
                      }
                    >
                      Remove
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Part>
      {members.hasNextPage && <Button onClick={() => void members.fetchNextPage()}>More people</Button>}
    </Card>
  )
}

type RepositoriesProps = { teamId: number; total: number; why: string | undefined }

/** What the team sees. `total`: also what whoever looks does not see. */
export function Repositories({ teamId, total, why }: RepositoriesProps) {
  const to = usePathTo()
  const pages = usePages('listTeamRepositories', { params: { teamId }, query: { pageSize: 100 } })
  const update = useChange('updateTeam', touched)
  const rows = pages.data?.pages.flatMap((page) => page.repositories) ?? []
  const put = (repositoryId: string, action: 'UPDATE_ACTION_ADD' | 'UPDATE_ACTION_REMOVE', undone = false): void =>
    update.mutate(
      { params: { teamId }, body: { team: { repositories: [{ repositoryId, action }] } } },
      {
        onSuccess: () => {
          const added = action === 'UPDATE_ACTION_ADD'
          const back = added ? 'UPDATE_ACTION_REMOVE' : 'UPDATE_ACTION_ADD'
          say(
            `${undone ? 'Undone: the' : 'The'} repository is ${added ? 'in the team' : 'no longer in the team'}.`,
            undone ? undefined : () => put(repositoryId, back, true),
          )
        },
        onError: (problem) => sayFailure(`Not done: ${problem.message}`),
      },
    )
  return (
    <Card
      title="Repositories"
      aside={
        why ? undefined : (
          <RepositoryChooser
            label="Add a repository"
            empty="Add a repository"
            by="id"
            chosen={[]}
            onChoose={([id]) => id && put(id, 'UPDATE_ACTION_ADD')}
          />
        )
      }
    >
      <Part of={pages}>
        {() =>
          rows.length === 0 ? (
            total === 0 && <p className="muted">The team has no repository of its own yet.</p>
          ) : (
            <Table
              label="Repositories of the team"
              rows={rows}
              keyOf={(row) => row.repositoryId}
              columns={[
                {
                  label: 'Repository',
                  cell: (row) => (
                    <Link to={to(`repositories/${row.repositoryId}`)}>
                      <Foreign text={row.name} />
                    </Link>
                  ),
                },
                {
                  label: 'Actions',
                  quiet: true,
                  end: true,
                  cell: (row) => (
                    <Button
                      why={why}
                      aria-label={`Remove ${row.name} from the team`}
                      onClick={() => put(row.repositoryId, 'UPDATE_ACTION_REMOVE')}
                    >
                      Remove
                    </Button>
                  ),
                },
              ]}
            />
          )
        }
      </Part>
      {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>More repositories</Button>}
      {pages.data && !pages.hasNextPage && total > rows.length && (
        <p className="muted">
          {rows.length > 0 && 'And '}
          {plural(total - rows.length, 'repository', 'repositories')} that you do not see.
        </p>
      )}
    </Card>
  )
}
