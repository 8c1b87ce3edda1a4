import type { RefusalFilter } from '../../../src/capabilities/firewall-activity/refusals/refusal-contract.ts'
import { useAsk } from '../../api/ask.ts'
import { formatSearch, type Pair, withValues } from '../../app/address/address.ts'
import { usePathTo } from '../../app/deployment.ts'
import { PersonName } from '../../app/former-people.tsx'
import { Link } from '../../ui/link.tsx'
import { Table } from '../../ui/lists/table.tsx'
import { Card } from '../../ui/page.tsx'
import { Part } from '../../ui/states.tsx'
import { Ago, Tag } from '../../ui/text/marks.tsx'

/** Who is behind the number of refusals that are shown. */
export function RefusedPeople({ pairs, filter }: { pairs: readonly Pair[]; filter: RefusalFilter }) {
  const to = usePathTo()
  const asked = useAsk('countRefusedPeople', { body: { filter } })
  return (
    <Card title="Who was refused">
      <Part of={asked}>
        {({ people }) =>
          people.length === 0 ? (
            <p className="muted">Nobody whom you may see.</p>
          ) : (
            <Table
              label="Who was refused"
              rows={people}
              keyOf={(row) => row.personId}
              columns={[
                {
                  label: 'Who',
                  cell: (row) =>
                    row.personId === 0 ? (
                      <span className="muted">forgotten</span>
                    ) : (
                      <>
                        <Link
                          to={to(
                            `firewall/blocked${formatSearch(withValues(pairs, 'person', [String(row.personId)]))}`,
                          )}
                        >
                          <PersonName name={row.personName} who={row.personId} otherwise={`person ${row.personId}`} />
                        </Link>{' '}
                        {row.isService && <Tag>service account</Tag>}
                      </>
                    ),
                },
                { label: 'Versions', end: true, cell: (row) => row.versionCount.toLocaleString('en') },
                { label: timesLabel(filter), end: true, cell: (row) => row.count.toLocaleString('en') },
                { label: 'Last', cell: (row) => <Ago at={row.lastAt} /> },
              ]}
            />
          )
        }
      </Part>
    </Card>
  )
}

function timesLabel({ watched }: RefusalFilter): string {
  if (watched === undefined) return 'Refused or watched'
  return watched ? 'Would have been refused' : 'Refused'
}
