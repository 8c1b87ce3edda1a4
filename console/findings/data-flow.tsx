import type { FindingDetail } from '../../src/capabilities/findings/finding.ts'
import { Foreign } from '../ui/text/foreign.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import { plural } from '../ui/text/words.ts'

type Step = FindingDetail['flow'][number]

/** How data comes from where it enters to where it does harm, step by step. */
export function DataFlow({ flow, steps }: { flow: readonly Step[]; steps: number }) {
  if (flow.length === 0) return null
  const left = steps - flow.length
  const [last, ...before] = flow.toReversed()
  return (
    <section>
      <h3>Data flow, {plural(steps, 'step')}</h3>
      <ol className="stack tight" aria-label="Data flow">
        {before.toReversed().map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a flow may come by one place twice
          <OneStep key={index} step={step} role={index === 0 ? 'Source' : ''} />
        ))}
        {left > 0 && <li className="muted small">{plural(left, 'step')} between these are not kept.</li>}
        {last && <OneStep step={last} role={flow.length > 1 ? 'Sink' : ''} />}
      </ol>
    </section>
  )
}

function OneStep({ step, role }: { step: Step; role: string }) {
  return (
    <li>
      <div className="row small">
        {role && <strong>{role}</strong>}
        <Foreign text={`${step.path}${step.startLine > 0 ? `:${step.startLine}` : ''}`} mono />
        {step.message && <Foreign text={step.message} clamp={200} />}
      </div>
      {step.snippet && (
        <div className="mono small">
          <bdi>{plainly(step.snippet.trim())}</bdi>
        </div>
      )}
    </li>
  )
}
