import { useState } from 'react'
import { useChange, usePages } from '../api/ask.ts'
import type { Body } from '../api/contracts.ts'
import { useMay } from '../app/deployment.ts'
import { PersonName } from '../app/former-people.tsx'
import { Button } from '../ui/button.tsx'
import { Table } from '../ui/lists/table.tsx'
import { say, sayFailure } from '../ui/overlays/toasts.tsx'
import { Card } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { Ago, Tag } from '../ui/text/marks.tsx'
import { ListFilter, useListFilter } from './list-filter.tsx'
import { OverrideDialog } from './override-dialog.tsx'

export function Overrides() {
  const { why } = useMay('firewall:write')
  const filter = useListFilter(['in_force', 'expired'])
  const pages = usePages('listOverrides', { query: { pageSize: 100, ...filter.query } })
  const [making, setMaking] = useState<'allow' | 'deny'>()
  const remove = useChange('deleteOverride', ['listOverrides', 'getVerdict'])
  const create = useChange('createOverride', ['listOverrides', 'getVerdict'])
  const take = (overrideId: number) =>
    remove.mutate(
      { params: { overrideId } },
      {
        onSuccess: ({ override }) => {
          const { ecosystem, name, version, effect, reason, expiresAt } = override
          const body = { ecosystem, name, version, effect, reason, expiresAt } as Body<'createOverride'>
          const putBack = () => create.mutateAsync({ body }).then(() => say(`Undone: ${name} has its override again.`))
          // Nobody can make one that has expired.
          say(`The override for ${name} is gone.`, isExpired(override) ? 'no undo' : putBack)
        },
        onError: (problem) => sayFailure(problem.message),
      },
    )
  return (
    <Card
      title="What people allowed or denied"
      aside={
        <span className="row">
          <Button why={why} onClick={() => setMaking('allow')}>
            Allow a package…
          </Button>
          <Button why={why} onClick={() => setMaking('deny')}>
            Deny a package…
          </Button>
        </span>
      }
    >
      <ListFilter {...filter} states={{ in_force: 'In force', expired: 'Expired' }} />
      <Part of={pages}>
        {(data) => {
          const rows = data.pages.flatMap((page) => page.overrides)
          if (rows.length === 0)
            return (
              <p className="muted">
                {filter.isNarrow ? 'No override matches.' : 'Nothing yet: the advisories decide.'}
              </p>
            )
          return (
            <Table
              label="Overrides"
              rows={rows}
              keyOf={(row) => row.id}
              isOver={isExpired}
              columns={[
                {
                  label: 'Effect',
                  cell: (row) => (
                    <Tag tone={isExpired(row) ? undefined : row.effect === 'allow' ? 'ok' : 'bad'}>
                      {isExpired(row) ? `${row.effect}, expired` : row.effect}
                    </Tag>
                  ),
                },
                {
                  label: 'Package',
                  cell: (row) => (
                    <>
                      <Foreign text={`${row.name}${row.version ? `@${row.version}` : ''}`} mono />{' '}
                      <span className="muted">{row.ecosystem}</span>
                    </>
                  ),
                },
                { label: 'Why', cell: (row) => <Foreign text={row.reason} clamp={200} /> },
                {
                  label: 'Made',
                  cell: (row) => (
                    <>
                      <Ago at={row.createdAt} /> <PersonName name={row.createdByName} who={row.createdBy} />
                    </>
                  ),
                },
                { label: 'Until', cell: (row) => (row.expiresAt ? <Ago at={row.expiresAt} /> : 'no end') },
                {
                  label: 'Actions',
                  quiet: true,
                  end: true,
                  cell: (row) => (
                    <Button look="plain" why={why} onClick={() => take(row.id)}>
                      Take back
                    </Button>
                  ),
                },
              ]}
            />
          )
        }}
      </Part>
      {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>More</Button>}
      {making && <OverrideDialog effect={making} onClose={() => setMaking(undefined)} />}
    </Card>
  )
}

function isExpired({ expiresAt }: { expiresAt: string | null }): boolean {
  return expiresAt !== null && Date.parse(expiresAt) < Date.now()
}
