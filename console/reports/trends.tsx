import { useAsk } from '../api/ask.ts'
import { firstOf, formatSearch, type Pair, withValues } from '../app/address/address.ts'
import { goSearch, usePlace } from '../app/address/location.ts'
import { usePathTo } from '../app/deployment.ts'
import { Bars } from '../charts/bars.tsx'
import type { Series } from '../charts/stacks.ts'
import type { ReportInput } from '../overview/cards.tsx'
import { fixesLink, standingLink } from '../overview/links.ts'
import { ageOf, Drawn, Standing, type TrendsShown } from '../overview/standing.tsx'
import { Link } from '../ui/link.tsx'
import { Table } from '../ui/lists/table.tsx'
import { Card } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { median } from '../ui/text/time.ts'

type Group = 'repository' | 'team' | 'tag'

const groups: Record<Group, { label: string; filter: string }> = {
  repository: { label: 'Repository', filter: 'repo' },
  team: { label: 'Team', filter: 'team' },
  tag: { label: 'Tag', filter: 'tag' },
}
const fixed: Series[] = [{ key: 'fixed', label: 'Fixed', fill: 'fill-fixed' }]

/** Whether it is getting better: the backlog and its age over time, how long fixing takes, and where. */
export function TrendsReport({ filters, period }: ReportInput) {
  const { pairs } = usePlace()
  const given = firstOf(pairs, 'by')
  const by: Group = given === 'team' || given === 'tag' ? given : 'repository'
  const asked = useAsk('reportTrends', { body: { filters, by } })
  return (
    <Part of={asked} lines={8}>
      {(trends) => (
        <>
          <div className="cards">
            <Standing trends={trends} more={period.more} />
            <Fixes trends={trends} more={period.more} />
          </div>
          <Card
            title="Where"
            aside={
              <fieldset className="segments no-print">
                <legend className="visually-hidden">By</legend>
                {(Object.keys(groups) as Group[]).map((each) => (
                  <button
                    key={each}
                    type="button"
                    aria-pressed={each === by}
                    onClick={() => goSearch(withValues(pairs, 'by', each === 'repository' ? [] : [each]))}
                  >
                    {groups[each].label}
                  </button>
                ))}
              </fieldset>
            }
          >
            <Rows trends={trends} by={by} more={period.more} />
          </Card>
        </>
      )}
    </Part>
  )
}

function Fixes({ trends, more }: TrendsShown) {
  const to = usePathTo()
  return (
    <Card title="Fixed, and how long it took" aside="without what came back since">
      <Bars
        title="Fixed, and how long it took"
        series={fixed}
        buckets={trends.fixes.map((bucket) => bucket.timePeriod)}
        rows={trends.fixes.map((bucket) => ({ fixed: bucket.fixed }))}
        under={{
          label: 'median time to fix',
          texts: trends.fixes.map(timeToFixOf),
        }}
        href={(_, bucket) => to(`findings${fixesLink({ ...bucket, more })}`)}
      />
      <Drawn of={trends.mediansOf} />
    </Card>
  )
}

type TimeToFix = Pick<
  TrendsShown['trends']['fixes'][number],
  'fixed' | 'medianSecondsToFix' | 'medianSecondsToFixKnown'
>

function timeToFixOf({ fixed, medianSecondsToFix, medianSecondsToFixKnown }: TimeToFix): string {
  return median(fixed, medianSecondsToFix, medianSecondsToFixKnown)
}

function Count({ value, to }: { value: number; to: string | false }) {
  const text = value.toLocaleString('en')
  return to ? <Link to={to}>{text}</Link> : text
}

function Rows({ trends, by, more }: TrendsShown & { by: Group }) {
  const to = usePathTo()
  const { pairs } = usePlace()
  const { label, filter } = groups[by]
  const since = trends.fixes[0]?.timePeriod.since
  const until = trends.fixes.at(-1)?.timePeriod.until
  const now = trends.points.at(-1)?.at
  if (trends.rows.length === 0 || !since || !until || !now)
    return <p className="muted">No finding was left or fixed in this period.</p>
  const linksOf = (key: string) => {
    // Of what has one tag, what has another too cannot be asked for by an address.
    const same = more.filter(([name]) => name === filter)
    const own: Pair[] = [...more.filter(([name]) => name !== filter), [filter, key]]
    return {
      own,
      // With the period and all else that is asked for.
      here: withValues(
        pairs.filter(([name]) => name !== 'by'),
        filter,
        [key],
      ),
      exact: by === 'repository' || same.length === 0 || (same.length === 1 && same[0]![1] === key),
    }
  }
  return (
    <>
      <Table
        label={label}
        rows={trends.rows.map((row) => ({ row, ...linksOf(row.key) }))}
        keyOf={({ row }) => row.key}
        columns={[
          {
            label,
            cell: ({ row, here }) => (
              <Link to={to(`reports/trends${formatSearch(here)}`)}>
                <Foreign text={row.name} />
              </Link>
            ),
          },
          {
            label: 'Left',
            end: true,
            cell: ({ row, own, exact }) => (
              <Count value={row.open} to={exact && to(`findings${standingLink(now, own)}`)} />
            ),
          },
          {
            label: 'Median age',
            end: true,
            cell: ({ row }) => ageOf(row),
          },
          {
            label: 'Fixed',
            end: true,
            cell: ({ row, own, exact }) => (
              <Count value={row.fixed} to={exact && to(`findings${fixesLink({ since, until, more: own })}`)} />
            ),
          },
          {
            label: 'Median time to fix',
            end: true,
            cell: ({ row }) => timeToFixOf(row),
          },
        ]}
      />
      <Drawn of={trends.rowMediansOf} />
      {trends.moreRows > 0 && <p className="muted small">And {trends.moreRows.toLocaleString('en')} more.</p>}
    </>
  )
}
