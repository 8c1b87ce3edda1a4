import { utcDay } from 'd3-time'
import type { PolicyRule, ProductType } from '../../src/capabilities/policies/contract.ts'
import { usePages, useReadOn } from '../api/ask.ts'
import { formatSearch } from '../app/address.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { Foreign } from '../ui/foreign.tsx'
import { Link } from '../ui/link.tsx'
import { Card } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { Table } from '../ui/table.tsx'
import { plural } from '../ui/words.ts'
import { blockedBy, effectOf, sameRules } from './rules.ts'

const days = 90
/** Newest first; with more than these it is said how far back they go. */
const mostFindings = 1_000

type Props = { product: ProductType; before: readonly PolicyRule[]; after: readonly PolicyRule[] }

/** What the draft would have made of the pull requests of the last 90 days. */
export function Trial(props: Props) {
  const { may } = useMay('findings:read')
  return may ? <Shown {...props} /> : null
}

function Shown({ product, before, after }: Props) {
  const to = usePathTo()
  const since = utcDay.offset(utcDay.floor(new Date()), -days).toISOString()
  const filter = { products: [product], pullRequests: 'only' as const, raisedAt: { since } }
  const pages = usePages(
    'searchFindings',
    { body: { filter, sort: { by: 'raisedAt', direction: 'desc' }, pageSize: 100 } },
    { where: 'body' },
  )
  const seen = pages.data?.pages.flatMap((page) => page.findings) ?? []
  const { hasNextPage } = pages
  const goOn = hasNextPage && seen.length < mostFindings
  useReadOn(pages, goOn)
  const effects = effectOf(before, after, seen)
  const blocked = blockedBy(before, after, seen)
  const difference = blocked.after - blocked.before
  return (
    <Card
      title="What this would change"
      aside={`${plural(seen.length, 'finding')} in pull requests of the last ${days} days${hasNextPage && !goOn ? ', the newest' : ''}`}
    >
      <Part of={pages}>
        {() =>
          sameRules(before, after) ? (
            <p className="muted">
              Nothing is changed yet. As the rules are, {plural(blocked.before, 'pull request')} of these would have
              been blocked.
            </p>
          ) : (
            <>
              <p role="status">
                {difference === 0
                  ? `As many pull requests would have been blocked as before: ${blocked.after}.`
                  : `${plural(Math.abs(difference), 'pull request')} ${difference > 0 ? 'more' : 'fewer'} would have been blocked: ${blocked.after} instead of ${blocked.before}.`}
              </p>
              {effects.length === 0 ? (
                <p className="muted">No finding of these pull requests would have been treated otherwise.</p>
              ) : (
                <Table
                  label="What this would change"
                  rows={effects}
                  keyOf={(row) => row.rule}
                  columns={[
                    {
                      label: 'Rule',
                      cell: (row) => (
                        <Link
                          to={to(
                            `findings${formatSearch([
                              ['rule', row.rule],
                              ['prs', 'only'],
                              ['state', 'any'],
                              ['raised', `${since.slice(0, 10)}..`],
                            ])}`,
                          )}
                        >
                          <Foreign text={row.rule || '(no rule)'} mono />
                        </Link>
                      ),
                    },
                    { label: 'Now', cell: (row) => row.from },
                    { label: 'Then', cell: (row) => <strong>{row.to}</strong> },
                    { label: 'Findings', end: true, cell: (row) => <span className="num">{row.findings}</span> },
                    {
                      label: 'Pull requests',
                      end: true,
                      cell: (row) => <span className="num">{row.pullRequests}</span>,
                    },
                  ]}
                />
              )}
            </>
          )
        }
      </Part>
    </Card>
  )
}
