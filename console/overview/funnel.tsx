import type { Answer } from '../api/contracts.ts'
import { usePathTo } from '../app/deployment.ts'
import { Legend } from '../charts/bars.tsx'
import { Link } from '../ui/link.tsx'
import { type Span, type Stage, stageLink } from './links.ts'

const products = [
  { key: 'code', label: 'Code', fill: 'fill-code' },
  { key: 'sca', label: 'Dependencies', fill: 'fill-sca' },
  { key: 'secrets', label: 'Secrets', fill: 'fill-secrets' },
]

const stages: { key: Stage; label: string; means: string }[] = [
  { key: 'allFindings', label: 'All findings', means: 'neither fixed nor ignored' },
  {
    key: 'possiblyExploitable',
    label: 'Possibly exploitable',
    means: 'not provisionally ignored, unreachable or invalid',
  },
  { key: 'internetExposed', label: 'Internet-exposed', means: 'in publicly exposed repositories' },
  { key: 'priorityFindings', label: 'Priority', means: 'critical or high, and certain' },
]

/** Four stages, each a part of the one before. Every bar and number opens exactly what it counts. */
export function FunnelChart({ funnel, span }: { funnel: Answer<'reportFunnel'>; span: Span }) {
  const to = usePathTo()
  const widest = Math.max(1, funnel.allFindings)
  return (
    <div className="stack">
      <ol className="funnel">
        {stages.map((stage) => (
          <li key={stage.key}>
            <span className="name">{stage.label}</span>
            <span className="bar" aria-hidden="true">
              {products.map((product) => {
                const value = funnel.byProduct[product.key]?.[stage.key] ?? 0
                if (value === 0) return null
                return (
                  <span key={product.key} className={product.fill} style={{ width: `${(value / widest) * 100}%` }} />
                )
              })}
            </span>
            <span className="figure num">
              <Link
                to={to(`findings${stageLink(stage.key, undefined, span)}`)}
                aria-label={`${stage.label}: ${funnel[stage.key]}`}
              >
                {funnel[stage.key].toLocaleString('en')}
              </Link>
            </span>
            <span className="why">
              {stage.means}:{' '}
              {products.map((product, index) => (
                <span key={product.key}>
                  {index > 0 && ' · '}
                  <Link to={to(`findings${stageLink(stage.key, product.key, span)}`)}>
                    {(funnel.byProduct[product.key]?.[stage.key] ?? 0).toLocaleString('en')}{' '}
                    {product.label.toLowerCase()}
                  </Link>
                </span>
              ))}
            </span>
          </li>
        ))}
      </ol>
      {funnel.possiblyExploitable > 0 && funnel.internetExposed === 0 && (
        <p className="small muted">
          None of them is in a repository that is marked as publicly exposed, so none has priority.{' '}
          <Link to={to('repositories')}>Choose a repository, and mark it in its settings.</Link>
        </p>
      )}
      <Legend series={products} />
    </div>
  )
}
