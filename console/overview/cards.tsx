import { useAsk } from '../api/ask.ts'
import { formatSearch } from '../app/address/address.ts'
import { type Period, periodPairs } from '../app/address/period.ts'
import { usePathTo } from '../app/deployment.ts'
import { Bars } from '../charts/bars.tsx'
import type { Series } from '../charts/stacks.ts'
import { Link } from '../ui/link.tsx'
import { Card } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { plural } from '../ui/text/words.ts'
import { FunnelChart } from './funnel.tsx'
import { activityLink, backlogLink, type GuardrailsFigure, guardrailsLink } from './links.ts'
import type { reportFilters } from './report-filters.ts'

export type ReportInput = ReturnType<typeof reportFilters>

export function FunnelCard({ filters, period }: ReportInput) {
  const asked = useAsk('reportFunnel', { body: { filters } })
  return (
    <Card title="How many findings matter" aside="each number opens its findings">
      <Part of={asked} lines={6}>
        {(funnel) => <FunnelChart funnel={funnel} span={period} />}
      </Part>
    </Card>
  )
}

const guardrails: Series[] = [
  { key: 'fixed', label: 'Fixed', fill: 'fill-fixed' },
  { key: 'open', label: 'Open', fill: 'fill-open' },
  { key: 'ignored', label: 'Ignored', fill: 'fill-ignored' },
  { key: 'provisionallyIgnored', label: 'Provisionally ignored', fill: 'fill-provisionally' },
  { key: 'silenced', label: 'Silenced', fill: 'fill-silenced' },
]

export function GuardrailsCard({ filters, period }: ReportInput) {
  const to = usePathTo()
  const asked = useAsk('reportGuardrailsActivity', { body: { filters } })
  const sum = asked.data && (
    <>
      <Link to={to(`findings${guardrailsLink('totalOpened', period)}`)}>
        {asked.data.totalOpened.toLocaleString('en')} shown
      </Link>
      {' · '}
      <Link to={to(`findings${guardrailsLink('totalFixed', period)}`)}>
        {asked.data.totalFixed.toLocaleString('en')} fixed
      </Link>
    </>
  )
  return (
    <Card title="Guardrails in pull requests" aside={sum}>
      <Part of={asked} lines={6}>
        {({ buckets }) => (
          <Bars
            title="Guardrails in pull requests"
            series={guardrails}
            buckets={buckets.map((bucket) => bucket.timePeriod)}
            rows={buckets.map(({ timePeriod: _, ...numbers }) => numbers)}
            href={(series, bucket) =>
              to(`findings${guardrailsLink(series.key as GuardrailsFigure, { ...bucket, more: period.more })}`)
            }
          />
        )}
      </Part>
    </Card>
  )
}

const activity: Series[] = [
  { key: 'opened', label: 'Opened', fill: 'fill-open' },
  { key: 'reopened', label: 'Reopened', fill: 'fill-secrets' },
  { key: 'fixed', label: 'Fixed', fill: 'fill-fixed', down: true },
  { key: 'ignored', label: 'Ignored', fill: 'fill-ignored', down: true },
  { key: 'provisionallyIgnored', label: 'Provisionally ignored', fill: 'fill-provisionally', down: true },
]

export function ActivityCard({ filters, period }: ReportInput) {
  const to = usePathTo()
  const asked = useAsk('reportActivity', { body: { filters, once: true } })
  return (
    <Card title="Opened and settled" aside="whatever became of it since">
      <Part of={asked} lines={6}>
        {({ buckets }) => (
          <Bars
            title="Opened and settled"
            series={activity}
            buckets={buckets.map((bucket) => bucket.timePeriod)}
            rows={buckets.map(({ timePeriod: _, ...numbers }) => numbers)}
            net={{
              label: 'opened and reopened, less settled',
              values: buckets.map(
                (each) => each.opened + each.reopened - each.fixed - each.ignored - each.provisionallyIgnored,
              ),
            }}
            href={(series, bucket) => to(`findings${activityLink(series.key, { ...bucket, more: period.more })}`)}
          />
        )}
      </Part>
    </Card>
  )
}

export function RulesCard({ filters, period, rows = 8 }: ReportInput & { rows?: number }) {
  const to = usePathTo()
  const asked = useAsk('reportBacklog', { body: { filters } })
  return (
    <Card title="Rules with most findings left">
      <Part of={asked} lines={6}>
        {(backlog) =>
          backlog.byRule.length === 0 ? (
            <p className="muted">No rule has findings left in this period.</p>
          ) : (
            <table className="table">
              <thead>
                <tr>
                  <th scope="col">Rule</th>
                  <th scope="col" className="end">
                    Left
                  </th>
                </tr>
              </thead>
              <tbody>
                {backlog.byRule.slice(0, rows).map((rule) => (
                  <tr key={rule.ruleId}>
                    <td>
                      <Link to={to(`findings${backlogLink(period, [['rule', rule.ruleId]])}`)}>
                        <Foreign text={rule.ruleId || '(no rule)'} mono />
                      </Link>
                    </td>
                    <td className="end num">
                      <Link
                        to={to(`findings${backlogLink(period, [['rule', rule.ruleId]])}`)}
                        aria-label={`${rule.ruleId}: ${rule.count.toLocaleString('en')}`}
                      >
                        {rule.count.toLocaleString('en')}
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
  )
}

const verdicts: Series[] = [
  { key: 'nonBlockingScans', label: 'Let through', fill: 'fill-fixed' },
  { key: 'blockingScans', label: 'Refused', fill: 'fill-blocked' },
]

export function FirewallCard({ period }: { period: Period }) {
  const to = usePathTo()
  const filters = { timePeriod: period.until ? { since: period.since, until: period.until } : { since: period.since } }
  const asked = useAsk('getScanActivity', { body: { filters } })
  const total = asked.data?.buckets.reduce((sum, each) => sum + each.blockingScans + each.nonBlockingScans, 0) ?? 0
  return (
    <Card
      title="Packages through the malware firewall"
      aside={<Link to={to(`firewall${formatSearch(periodPairs(period))}`)}>{plural(total, 'request')}</Link>}
    >
      <Part of={asked} lines={4}>
        {({ buckets }) => (
          <Bars
            title="Packages through the malware firewall"
            series={verdicts}
            buckets={buckets.map((bucket) => bucket.timePeriod)}
            rows={buckets.map(({ timePeriod: _, ...numbers }) => numbers)}
            href={(_, { since, until }) =>
              to(
                `firewall${formatSearch([
                  ['since', since],
                  ['until', until],
                ])}`,
              )
            }
            height={150}
          />
        )}
      </Part>
    </Card>
  )
}
