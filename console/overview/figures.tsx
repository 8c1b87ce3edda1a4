import { useAsk, usePages, useReadOn } from '../api/ask.ts'
import { useDeployment, usePathTo } from '../app/deployment.ts'
import { Link } from '../ui/link.tsx'
import { ErrorBox } from '../ui/states.tsx'
import { lasting } from '../ui/time.ts'
import type { ReportInput } from './cards.tsx'
import { backlogLink, stageLink } from './links.ts'

type Figure = { key: string; value: string; means: string; to?: string; bad?: boolean }

/** Row one: where things stand, and what waits for somebody. What is zero and needs nobody is left out. */
export function Figures({ filters, period }: ReportInput) {
  const to = usePathTo()
  const { permissions } = useDeployment()
  const funnel = useAsk('reportFunnel', { body: { filters } })
  const backlog = useAsk('reportBacklog', { body: { filters } })
  const guardrails = useAsk('reportGuardrailsActivity', { body: { filters } })
  const held = usePages('listHeldAdvisories', {}, { enabled: permissions.includes('firewall:read') })
  useReadOn(held)
  const letters = useAsk('listDeadLetters', {}, { enabled: permissions.includes('jobs:read') })
  const figures: Figure[] = []
  const add = (figure: Figure) => figures.push(figure)
  if (funnel.data) {
    add({
      key: 'priority',
      value: count(funnel.data.priorityFindings),
      means: 'priority findings',
      to: to(`findings${stageLink('priorityFindings', undefined, period)}`),
      bad: funnel.data.priorityFindings > 0,
    })
  }
  if (backlog.data) {
    add({
      key: 'open',
      value: count(backlog.data.total),
      means: 'open findings raised in the period',
      to: to(`findings${backlogLink(period, [])}`),
    })
    add({ key: 'age', value: lasting(backlog.data.medianOpenAgeSeconds), means: 'median age of what is open' })
  }
  if (guardrails.data && guardrails.data.totalOpened > 0) {
    const share = Math.round((guardrails.data.totalFixed / guardrails.data.totalOpened) * 100)
    add({ key: 'fixed', value: `${share} %`, means: 'of what pull requests showed was fixed' })
  }
  const waiting =
    held.data?.pages.flatMap((page) => page.heldAdvisories).filter((each) => each.state === 'held').length ?? 0
  if (waiting > 0)
    add({
      key: 'held',
      value: `${count(waiting)}${held.hasNextPage ? '+' : ''}`,
      means: 'advisories wait for a decision',
      to: to('firewall/held'),
      bad: true,
    })
  const dead = letters.data?.deadLetters.length ?? 0
  if (dead > 0)
    add({
      key: 'dead',
      value: `${count(dead)}${letters.data?.hasMore ? '+' : ''}`,
      means: 'jobs were given up',
      to: to('settings/system'),
      bad: true,
    })
  const failed = funnel.error ?? backlog.error
  if (failed && figures.length === 0) return <ErrorBox problem={failed} retry={() => void funnel.refetch()} />
  return (
    <div className="cards small">
      {figures.map((figure) => {
        const inside = (
          <>
            <span className="figure">{figure.value}</span>
            <span className="means">{figure.means}</span>
          </>
        )
        const classes = figure.bad ? 'stat bad' : 'stat'
        return figure.to ? (
          <Link key={figure.key} to={figure.to} className={classes}>
            {inside}
          </Link>
        ) : (
          <div key={figure.key} className={classes}>
            {inside}
          </div>
        )
      })}
    </div>
  )
}

const count = (value: number): string => value.toLocaleString('en')
