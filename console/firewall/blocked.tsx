import { useAsk } from '../api/ask.ts'
import { formatSearch, type Pair, pathPart } from '../app/address/address.ts'
import { usePlace } from '../app/address/location.ts'
import { periodPairs, readPeriod, timePeriodOf } from '../app/address/period.ts'
import { usePathTo } from '../app/deployment.ts'
import { PeriodChoice } from '../ui/forms/period-choice.tsx'
import { Link } from '../ui/link.tsx'
import { Card } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { calledMalicious, refusalFilter } from './refusals/refusal-filter.ts'
import { Refusals } from './refusals/refusals.tsx'
import { RefusedPeople } from './refusals/refused-people.tsx'

export function Blocked() {
  const to = usePathTo()
  const { pairs } = usePlace()
  const period = readPeriod(pairs, new Date())
  const filters = { timePeriod: timePeriodOf(period) }
  const packages = useAsk('getBlockedMaliciousDependencies', { body: { filters, limit: 1000 } })
  const advisories = useAsk('getBlockedByAdvisory', { body: { filters, pageSize: 100 } })
  const record = refusalFilter(pairs, period)
  const refusals = (
    <>
      <Refusals pairs={pairs} {...record} />
      <RefusedPeople pairs={pairs} filter={record.filter} />
    </>
  )
  // These two count everybody's requests of the period, whatever the list is narrowed to: so do their links.
  const ofAll = record.isNarrow ? ', of all requests' : ''
  const counted = (...narrow: Pair[]) =>
    to(`firewall/blocked${formatSearch([...narrow, ['outcome', 'refused'], ...periodPairs(period)])}`)
  return (
    <>
      <div>
        <PeriodChoice period={period} pairs={pairs} />
      </div>
      {record.isNarrow && refusals}
      <div className="cards">
        <Card title={`By package${ofAll}`}>
          <Part of={packages}>
            {({ rows }) =>
              rows.length === 0 ? (
                <p className="muted">Nothing malicious was asked for in this period.</p>
              ) : (
                <table className="table">
                  <thead>
                    <tr>
                      <th scope="col">Package</th>
                      <th scope="col">Version</th>
                      <th scope="col" className="end">
                        Refused
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map((row) => (
                      <tr key={`${row.ecosystem} ${row.dependency} ${row.version}`}>
                        <td>
                          <Link
                            to={to(
                              `packages/${pathPart(row.ecosystem)}/${row.dependency.split('/').map(pathPart).join('/')}`,
                            )}
                          >
                            <Foreign text={row.dependency} mono />
                          </Link>{' '}
                          <span className="muted">{row.ecosystem}</span>
                        </td>
                        <td>
                          <Foreign text={row.version} mono />
                        </td>
                        <td className="end num">
                          <Link
                            to={counted(
                              ['package', row.dependency],
                              ['version', row.version],
                              ['ecosystem', row.ecosystem],
                              ['rule', calledMalicious],
                            )}
                          >
                            {row.totalBlocked.toLocaleString('en')}
                          </Link>
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              )
            }
          </Part>
        </Card>
        <Card title={`By advisory${ofAll}`}>
          <Part of={advisories}>
            {({ rows }) =>
              rows.length === 0 ? (
                <p className="muted">No advisory stopped anything in this period.</p>
              ) : (
                <table className="table">
                  <thead>
                    <tr>
                      <th scope="col">Advisory or override</th>
                      <th scope="col" className="end">
                        Versions
                      </th>
                      <th scope="col" className="end">
                        Refused
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map((row) => (
                      <tr key={row.advisoryId}>
                        <td>
                          <Foreign text={row.advisoryId} mono />
                        </td>
                        <td className="end num">{row.dependencies.toLocaleString('en')}</td>
                        <td className="end num">
                          <Link to={counted(['advisory', row.advisoryId])}>
                            {row.totalBlocked.toLocaleString('en')}
                          </Link>
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              )
            }
          </Part>
        </Card>
      </div>
      {!record.isNarrow && refusals}
    </>
  )
}
