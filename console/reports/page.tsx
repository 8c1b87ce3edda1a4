import { useAsk } from '../api/ask.ts'
import type { Pair } from '../app/address/address.ts'
import { usePlace } from '../app/address/location.ts'
import { useDeployment, usePathTo } from '../app/deployment.ts'
import { NotFound } from '../app/frame/not-found.tsx'
import {
  ActivityCard,
  FirewallCard,
  FunnelCard,
  GuardrailsCard,
  type ReportInput,
  RulesCard,
} from '../overview/cards.tsx'
import { backlogLink } from '../overview/links.ts'
import { ReportFilterBar } from '../overview/report-filter-bar.tsx'
import { reportFilters } from '../overview/report-filters.ts'
import { NotVisible, useSeesNoRepository } from '../repositories/not-visible.tsx'
import { Button } from '../ui/button.tsx'
import { PeriodChoice } from '../ui/forms/period-choice.tsx'
import { Link } from '../ui/link.tsx'
import { Card, Page, PageHead, Tabs } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { Severity } from '../ui/text/marks.tsx'
import { lasting, utcDay } from '../ui/text/time.ts'
import { wordOf } from '../ui/text/words.ts'
import { TrendsReport } from './trends.tsx'

const names = {
  guardrails: 'Guardrails',
  funnel: 'Funnel',
  activity: 'Activity',
  backlog: 'Backlog',
  trends: 'Trends',
  firewall: 'Firewall',
} as const
type Name = keyof typeof names

/** One report, for reading and for printing: what it says, of which period, and when it was made. */
export default function ReportPage({ params: { name = 'guardrails' } }: { params: Record<string, string> }) {
  return Object.hasOwn(names, name) ? <Report name={name as Name} /> : <NotFound />
}

function Report({ name }: { name: Name }) {
  const to = usePathTo()
  const deployment = useDeployment()
  const { pairs } = usePlace()
  const now = new Date()
  const input = reportFilters(pairs, now)
  const seesNone = useSeesNoRepository()
  return (
    <Page>
      <PageHead
        title={`Report: ${names[name]}`}
        about={`${deployment.name}, ${utcDay(input.period.since)} to ${utcDay(input.period.until ?? now.toISOString())}, UTC.`}
      >
        <PeriodChoice period={input.period} pairs={pairs} />
        <Button className="no-print" onClick={() => window.print()}>
          Print
        </Button>
      </PageHead>
      <Tabs
        label="Reports"
        tabs={(Object.keys(names) as Name[]).map((each) => ({
          to: to(`reports/${each}`) + location.search,
          label: names[each],
          current: each === name,
        }))}
      />
      {name === 'firewall' && <FirewallCard period={input.period} />}
      {name !== 'firewall' && (seesNone ? <NotVisible /> : <OfRepositories name={name} pairs={pairs} input={input} />)}
    </Page>
  )
}

type Asked = { name: Exclude<Name, 'firewall'>; pairs: readonly Pair[]; input: ReportInput }

function OfRepositories({ name, pairs, input }: Asked) {
  return (
    <>
      <ReportFilterBar pairs={pairs} />
      {name === 'guardrails' && <GuardrailsCard {...input} />}
      {name === 'funnel' && <FunnelCard {...input} />}
      {name === 'activity' && <ActivityCard {...input} />}
      {name === 'backlog' && <Backlog {...input} />}
      {name === 'trends' && <TrendsReport {...input} />}
    </>
  )
}

function Backlog(input: ReportInput) {
  const to = usePathTo()
  const asked = useAsk('reportBacklog', { body: { filters: input.filters } })
  return (
    <Part of={asked}>
      {(backlog) => (
        <div className="cards">
          <Card title="By severity" aside={backlog.total > 0 && `median age ${lasting(backlog.medianOpenAgeSeconds)}`}>
            <table className="table">
              <tbody>
                {Object.entries(backlog.bySeverity)
                  .toReversed()
                  .map(([severity, count]) => (
                    <tr key={severity}>
                      <td>
                        <Severity level={severity} />
                      </td>
                      <td className="end num">
                        <Link to={to(`findings${backlogLink(input.period, [['sev', wordOf(severity)]])}`)}>
                          {count.toLocaleString('en')}
                        </Link>
                      </td>
                    </tr>
                  ))}
              </tbody>
            </table>
          </Card>
          <RulesCard {...input} rows={25} />
        </div>
      )}
    </Part>
  )
}
