import type { Answer } from '../api/contracts.ts'
import type { Pair } from '../app/address/address.ts'
import { usePathTo } from '../app/deployment.ts'
import { Bars } from '../charts/bars.tsx'
import type { Series } from '../charts/stacks.ts'
import { Link } from '../ui/link.tsx'
import { Card } from '../ui/page.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import { median } from '../ui/text/time.ts'
import { standingLink } from './links.ts'

/** `more`: what else the report was asked for. */
export type TrendsShown = { trends: Answer<'reportTrends'>; more: readonly Pair[] }

const open: Series[] = [{ key: 'open', label: 'Left at the end', fill: 'fill-open' }]

/** What was left to do at the end of each part of the period, and how old it was. */
export function Standing({ trends, more }: TrendsShown) {
  const to = usePathTo()
  const last = trends.points.at(-1)
  const at = new Map(trends.fixes.map((bucket, index) => [bucket.timePeriod.since, trends.points[index]!.at]))
  return (
    <Card title="Backlog over time" aside={last && last.open > 0 && `median age now ${ageOf(last)}`}>
      <Bars
        title="Backlog over time"
        series={open}
        buckets={trends.fixes.map((bucket) => bucket.timePeriod)}
        rows={trends.points.map((point) => ({ open: point.open }))}
        under={{
          label: 'median age',
          texts: trends.points.map(ageOf),
        }}
        href={(_, { since }) => to(`findings${standingLink(at.get(since)!, more)}`)}
      />
      <Drawn of={trends.mediansOf} />
    </Card>
  )
}

/** Where medians are not those of all. */
export function Drawn({ of }: { of: number }) {
  if (of === 1) return null
  return (
    <p className="muted small">Medians are of one finding in {of.toLocaleString('en')}. All other numbers are exact.</p>
  )
}

const mostRows = 8

/** Where most is left to do now. */
export function RepositoriesCard({ trends, more }: TrendsShown) {
  const to = usePathTo()
  const now = trends.points.at(-1)?.at
  const most = trends.rows.filter(({ open: left }) => left > 0).toSorted((a, b) => b.open - a.open)
  if (!now || most.length === 0)
    return (
      <Card title="Repositories with most findings left">
        <p className="muted">No repository has findings left in this period.</p>
      </Card>
    )
  return (
    <Card title="Repositories with most findings left">
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Repository</th>
            <th scope="col" className="end">
              Median age
            </th>
            <th scope="col" className="end">
              Left
            </th>
          </tr>
        </thead>
        <tbody>
          {most.slice(0, mostRows).map((row) => {
            const own: Pair[] = [...more.filter(([name]) => name !== 'repo'), ['repo', row.key]]
            const address = to(`findings${standingLink(now, own)}`)
            return (
              <tr key={row.key}>
                <td>
                  <Link to={address}>
                    <Foreign text={row.name} />
                  </Link>
                </td>
                <td className="end num muted">{ageOf(row)}</td>
                <td className="end num">
                  <Link to={address} aria-label={`${plainly(row.name)}: ${row.open.toLocaleString('en')}`}>
                    {row.open.toLocaleString('en')}
                  </Link>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </Card>
  )
}

type Age = Pick<TrendsShown['trends']['points'][number], 'open' | 'medianAgeSeconds' | 'medianAgeKnown'>

export function ageOf({ open, medianAgeSeconds, medianAgeKnown }: Age): string {
  return median(open, medianAgeSeconds, medianAgeKnown)
}
