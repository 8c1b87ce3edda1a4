import { useState } from 'react'
import { useAllTeams, useChange } from '../../api/ask.ts'
import { firstOf } from '../../app/address/address.ts'
import { go, goSearch, usePlace } from '../../app/address/location.ts'
import { useMay, usePathTo } from '../../app/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { Check, Input, Select } from '../../ui/forms/field.tsx'
import { FormDialog } from '../../ui/forms/form-dialog.tsx'
import { SearchField } from '../../ui/forms/search-field.tsx'
import { Link } from '../../ui/link.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { Empty, Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Tag } from '../../ui/text/marks.tsx'
import { plural } from '../../ui/text/words.ts'
import { SettingsPage } from '../frame.tsx'
import { matchesText } from '../words.ts'
import { mostLevels, type TeamLike, type TreeRow, treeOf } from './team-tree.ts'

export default function TeamsPage() {
  const to = usePathTo()
  const { pairs } = usePlace()
  const { pages, teams } = useAllTeams()
  const write = useMay('teams:write')
  const [adding, setAdding] = useState(false)
  const words = firstOf(pairs, 'q') ?? ''
  const tree = treeOf(teams)
  const rows = words ? tree.filter(({ team }) => matchesText(words, team.name)) : tree
  return (
    <SettingsPage
      title="Teams"
      about="A team sees its repositories and those of the teams below it. A tree has three levels."
      actions={
        <Button look="primary" why={write.why} onClick={() => setAdding(true)}>
          New team
        </Button>
      }
    >
      <Card title="All teams" aside={plural(teams.length, 'team')}>
        <SearchField label="Search teams" name="q" pairs={pairs} />
        <Part of={pages}>
          {() =>
            rows.length === 0 ? (
              words ? (
                <Empty title="No team matches">
                  <Button onClick={() => goSearch([])}>Show all teams</Button>
                </Empty>
              ) : (
                <Empty title="No teams yet">
                  <p>Owners and admins see every repository. Everybody else sees those of their teams.</p>
                </Empty>
              )
            ) : (
              <Table
                label="Teams"
                rows={rows}
                keyOf={({ team }) => team.id}
                columns={[
                  {
                    label: 'Team',
                    cell: ({ team, depth }) => (
                      <span className={`tree-${Math.min(depth, mostLevels - 1)}`}>
                        <Link to={to(`settings/teams/${team.id}`)}>
                          <Foreign text={team.name} />
                        </Link>{' '}
                        {team.isUserDefault && <Tag>new people</Tag>}{' '}
                        {team.isProjectDefault && <Tag>new repositories</Tag>}
                      </span>
                    ),
                  },
                  { label: 'People', end: true, cell: ({ team }) => <span className="num">{team.userCount}</span> },
                  {
                    label: 'Repositories',
                    end: true,
                    cell: ({ team }) => <span className="num">{team.repositoryCount}</span>,
                  },
                  {
                    label: 'You',
                    cell: ({ team }) =>
                      team.authorizedScopes.includes('TEAM_SCOPE_MANAGE')
                        ? 'may manage it'
                        : team.authorizedScopes.includes('TEAM_SCOPE_DIRECT_MEMBER')
                          ? 'are in it'
                          : '',
                  },
                ]}
              />
            )
          }
        </Part>
      </Card>
      {adding && <NewTeamDialog tree={tree} onClose={() => setAdding(false)} />}
    </SettingsPage>
  )
}

function NewTeamDialog({ tree, onClose }: { tree: readonly TreeRow<TeamLike>[]; onClose: () => void }) {
  const to = usePathTo()
  const create = useChange('createTeam', ['listTeams'])
  const parents = tree.filter(({ depth }) => depth < mostLevels - 1)
  return (
    <FormDialog
      title="New team"
      action="Create"
      onClose={onClose}
      run={async (form) => {
        const parentTeamId = form.text('parent')
        const { team } = await create.mutateAsync({
          body: {
            team: {
              name: form.text('name'),
              isUserDefault: form.has('people'),
              isProjectDefault: form.has('repositories'),
              ...(parentTeamId && { parentTeamId }),
            },
          },
        })
        say(`The team ${team.name} is there.`, 'no undo')
        go(to(`settings/teams/${team.id}`))
      }}
    >
      {(about) => (
        <>
          <Input label="Name" name="name" required maxLength={200} wrong={about('/name')} autoFocus />
          <Select
            label="Below"
            name="parent"
            wrong={about('/parentTeamId')}
            choices={[
              { value: '', label: 'At the top' },
              ...parents.map(({ team, depth }) => ({ value: team.id, label: `${'· '.repeat(depth)}${team.name}` })),
            ]}
          />
          <div className="stack tight">
            <Check name="people" label="New people are put into it" />
            <Check name="repositories" label="New repositories are put into it" />
          </div>
        </>
      )}
    </FormDialog>
  )
}
