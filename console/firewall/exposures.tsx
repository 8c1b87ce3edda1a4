import { usePages } from '../api/ask.ts'
import { formatSearch, pathPart } from '../app/address/address.ts'
import { usePathTo } from '../app/deployment.ts'
import { PersonName } from '../app/former-people.tsx'
import { Button } from '../ui/button.tsx'
import { Link } from '../ui/link.tsx'
import { Table } from '../ui/lists/table.tsx'
import { Card } from '../ui/page.tsx'
import { Empty, Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { Ago, Tag } from '../ui/text/marks.tsx'
import { ListFilter, useListFilter } from './list-filter.tsx'

export function Exposures() {
  const to = usePathTo()
  const filter = useListFilter(['open', 'withdrawn'])
  const pages = usePages('listExposures', { query: { pageSize: 100, ...filter.query } })
  return (
    <>
      <ListFilter {...filter} states={{ open: 'Open', withdrawn: 'Withdrawn' }} />
      <Part of={pages}>
        {(data) => {
          const rows = data.pages.flatMap((page) => page.exposures)
          if (rows.length === 0) {
            return (
              <Empty title={filter.isNarrow ? 'No exposure matches' : 'Nobody was given anything malicious'}>
                <p>
                  When an advisory comes out about something that a client fetched before, it is listed here, with whose
                  client it was.
                </p>
              </Empty>
            )
          }
          return (
            <Card title="Given to clients before it was known to be malicious">
              <Table
                label="Exposures"
                rows={rows}
                keyOf={(row) => row.id}
                columns={[
                  {
                    label: 'Package',
                    cell: (row) => (
                      <Link
                        to={to(`packages/${pathPart(row.ecosystem)}/${row.name.split('/').map(pathPart).join('/')}`)}
                      >
                        <Foreign text={`${row.name}@${row.version}`} mono />
                      </Link>
                    ),
                  },
                  { label: 'Advisories', cell: (row) => <Foreign text={row.advisoryIds.join(', ')} mono /> },
                  {
                    label: 'Whose client',
                    cell: (row) => (
                      <>
                        <Link to={to(`firewall/exposures${formatSearch([['person', String(row.personId)]])}`)}>
                          <PersonName name={row.personName} who={row.personId} otherwise={`person ${row.personId}`} />
                        </Link>
                        , <Foreign text={row.tokenName || `token ${row.tokenId}`} />
                      </>
                    ),
                  },
                  { label: 'Fetched', cell: (row) => <Ago at={row.fetchedAt} /> },
                  {
                    label: 'Found out',
                    cell: (row) => (
                      <>
                        <Ago at={row.foundAt} /> {row.withdrawnAt && <Tag>withdrawn</Tag>}
                      </>
                    ),
                  },
                ]}
              />
              {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>More</Button>}
            </Card>
          )
        }}
      </Part>
    </>
  )
}
