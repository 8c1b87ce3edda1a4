import { useAsk } from '../api/ask.ts'
import { usePathTo } from '../app/deployment.ts'
import { Link } from '../ui/link.tsx'
import { ErrorBox } from '../ui/states.tsx'
import { lasting } from '../ui/text/time.ts'
import type { ReportInput } from './cards.tsx'
import { backlogLink } from './links.ts'

type Figure = { key: string; value: string; means: string; to?: string }

/** Where things stand in the period. */
export function Figures({ filters, period }: ReportInput) {
  const to = usePathTo()
  const backlog = useAsk('reportBacklog', { body: { filters } })
  const guardrails = useAsk('reportGuardrailsActivity', { body: { filters } })
  const figures: Figure[] = []
  const add = (figure: Figure) => figures.push(figure)
  if (backlog.data) {
    add({
      key: 'open',
      value: count(backlog.data.total),
      means: 'findings raised in the period, neither fixed nor ignored',
      to: to(`findings${backlogLink(period, [])}`),
    })
    if (backlog.data.total > 0)
      add({ key: 'age', value: lasting(backlog.data.medianOpenAgeSeconds), means: 'their median age' })
  }
  if (guardrails.data && guardrails.data.totalOpened > 0) {
    const share = Math.round((guardrails.data.totalFixed / guardrails.data.totalOpened) * 100)
    add({ key: 'fixed', value: `${share} %`, means: 'of the findings that pull requests showed were fixed' })
  }
  const failed = backlog.error
  if (failed && figures.length === 0) return <ErrorBox problem={failed} retry={() => void backlog.refetch()} />
  return (
    <div className="cards small">
      {figures.map((figure) => {
        const inside = (
          <>
            <span className="figure">{figure.value}</span>
            <span className="means">{figure.means}</span>
          </>
        )
        return figure.to ? (
          <Link key={figure.key} to={figure.to} className="stat">
            {inside}
          </Link>
        ) : (
          <div key={figure.key} className="stat">
            {inside}
          </div>
        )
      })}
    </div>
  )
}

const count = (value: number): string => value.toLocaleString('en')
