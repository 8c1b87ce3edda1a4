import { useAsk } from '../api/ask.ts'
import { formatSearch, type Pair } from '../app/address/address.ts'
import { usePlace } from '../app/address/location.ts'
import { periodPairs, readPeriod, timePeriodOf } from '../app/address/period.ts'
import { usePathTo } from '../app/deployment.ts'
import { FirewallCard } from '../overview/cards.tsx'
import { PeriodChoice } from '../ui/forms/period-choice.tsx'
import { Link } from '../ui/link.tsx'
import { Card } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { calledMalicious } from './refusals/refusal-filter.ts'
import { change } from './words.ts'

export function Activity() {
  const to = usePathTo()
  const { pairs } = usePlace()
  const period = readPeriod(pairs, new Date())
  const refused = (...narrow: Pair[]) =>
    to(`firewall/blocked${formatSearch([...narrow, ['outcome', 'refused'], ...periodPairs(period)])}`)
  const malicious = refused(['rule', calledMalicious])
  const filters = { timePeriod: timePeriodOf(period) }
  const summary = useAsk('getFirewallSummary', { body: { filters } })
  const ecosystems = useAsk('getActivityByEcosystem', { body: { filters } })
  return (
    <>
      <div>
        <PeriodChoice period={period} pairs={pairs} />
      </div>
      <Part of={summary}>
        {({ current, previous }) => (
          <div className="cards small">
            <Figure value={current.nonBlockingScans} before={previous.nonBlockingScans} means="let through" />
            <Figure
              value={current.blockingScans}
              before={previous.blockingScans}
              means="refused, for whatever reason"
              to={refused()}
            />
            <Figure
              value={current.totalBlocked}
              before={previous.totalBlocked}
              means="of them malicious, or denied by you"
              to={malicious}
            />
            <Figure
              value={current.blockedDependencies}
              before={previous.blockedDependencies}
              means="different versions of packages among these"
              to={malicious}
            />
          </div>
        )}
      </Part>
      <FirewallCard period={period} />
      <Card title="By ecosystem">
        <Part of={ecosystems}>
          {({ rows }) =>
            rows.length === 0 ? (
              <p className="muted">
                No client has asked for anything in this period. <Link to={to('firewall/set-up')}>Set up a client</Link>
              </p>
            ) : (
              <table className="table">
                <thead>
                  <tr>
                    <th scope="col">Ecosystem</th>
                    <th scope="col" className="end">
                      Let through
                    </th>
                    <th scope="col" className="end">
                      Refused
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map((row) => (
                    <tr key={row.ecosystem}>
                      <td>{row.ecosystem}</td>
                      <td className="end num">{row.nonBlockingScans.toLocaleString('en')}</td>
                      <td className="end num">
                        <Link to={refused(['ecosystem', row.ecosystem])}>{row.blockingScans.toLocaleString('en')}</Link>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )
          }
        </Part>
      </Card>
    </>
  )
}

function Figure({ value, before, means, to }: { value: number; before: number; means: string; to?: string }) {
  const inside = (
    <>
      <span className="figure">{value.toLocaleString('en')}</span>
      <span className="means">
        {means} · {change(value, before)}
      </span>
    </>
  )
  return to ? (
    <Link to={to} className="stat">
      {inside}
    </Link>
  ) : (
    <div className="stat">{inside}</div>
  )
}
