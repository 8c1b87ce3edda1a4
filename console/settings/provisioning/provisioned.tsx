import { useAsk, usePages } from '../../api/ask.ts'
import { Button } from '../../ui/button.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { Card } from '../../ui/page.tsx'
import { Empty, Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Ago, Tag } from '../../ui/text/marks.tsx'
import { plural } from '../../ui/text/words.ts'

const tones = { active: 'ok', suspended: 'warn', invited: undefined, inactive: undefined } as const

/** Who was provisioned, and what has become of them. */
export function ProvisionedPeople({ total }: { total: number }) {
  const pages = usePages('listProvisionedUsers', { query: { pageSize: 50 } })
  const rows = pages.data?.pages.flatMap((page) => page.users) ?? []
  return (
    <Card title="People" aside={plural(total, 'person', 'people')}>
      <Part of={pages}>
        {() =>
          rows.length === 0 ? (
            <Empty title="Nobody was provisioned yet">
              <p>Assign people to Gatehouse in your directory. They appear here as it sends them.</p>
            </Empty>
          ) : (
            <Table
              label="Provisioned people"
              rows={rows}
              keyOf={(user) => user.id}
              columns={[
                {
                  label: 'Person',
                  cell: (user) => (
                    <>
                      <Foreign text={user.userName} />
                      {user.email !== user.userName && (
                        <div className="muted small">
                          <Foreign text={user.email} />
                        </div>
                      )}
                    </>
                  ),
                },
                { label: 'State', cell: (user) => <Tag tone={tones[user.state]}>{user.state}</Tag> },
                { label: 'Provisioned', cell: (user) => <Ago at={user.createdAt} /> },
                { label: 'Changed', cell: (user) => <Ago at={user.changedAt} /> },
              ]}
            />
          )
        }
      </Part>
      {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>More people</Button>}
    </Card>
  )
}

export function ProvisionedGroups({ total }: { total: number }) {
  const pages = usePages('listProvisionedGroups', { query: { pageSize: 50 } })
  const rows = pages.data?.pages.flatMap((page) => page.groups) ?? []
  if (total === 0) return null
  return (
    <Card title="Groups" aside={plural(total, 'group')}>
      <Part of={pages}>
        {() => (
          <Table
            label="Provisioned groups"
            rows={rows}
            keyOf={(group) => group.id}
            columns={[
              { label: 'Group', cell: (group) => <Foreign text={group.name} /> },
              { label: 'Members', end: true, cell: (group) => group.members.toLocaleString('en') },
              { label: 'Changed', cell: (group) => <Ago at={group.changedAt} /> },
            ]}
          />
        )}
      </Part>
      {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>More groups</Button>}
    </Card>
  )
}

/** What the directory did last, and why it was refused. */
export function ProvisioningRequests() {
  const asked = useAsk('listProvisioningRequests')
  return (
    <Card title="Last requests">
      <p className="muted">What was changed or refused. Requests that only read are left out.</p>
      <Part of={asked}>
        {({ requests }) =>
          requests.length === 0 ? (
            <Empty title="Nothing yet">
              <p>Run the connection test of your directory, then provision somebody.</p>
            </Empty>
          ) : (
            <Table
              label="Requests of the directory"
              rows={requests}
              keyOf={(request) => request.id}
              columns={[
                { label: 'When', cell: (request) => <Ago at={request.at} /> },
                {
                  label: 'Request',
                  cell: (request) => <Foreign text={`${request.method} ${request.path}`} mono />,
                },
                {
                  label: 'Answer',
                  cell: (request) => (
                    <>
                      <Tag tone={request.status >= 400 ? 'bad' : 'ok'}>{String(request.status)}</Tag>{' '}
                      <Foreign text={request.detail} clamp={300} />
                    </>
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
