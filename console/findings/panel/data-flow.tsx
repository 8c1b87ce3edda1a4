import type { FindingDetail } from '../../../src/capabilities/findings/finding.ts'
import { Foreign } from '../../ui/text/foreign.tsx'
import { plainly } from '../../ui/text/foreign-text.ts'
import { Tag } from '../../ui/text/marks.tsx'
import { plural } from '../../ui/text/words.ts'

type Step = FindingDetail['flow'][number]

/** How data comes from where it enters to where it does harm, step by step. */
export function DataFlow({ flow, steps }: { flow: readonly Step[]; steps: number }) {
  if (flow.length === 0) return null
  const left = steps - flow.length
  const [last, ...before] = flow.toReversed()
  return (
    <section>
      <h3>Data flow, {plural(steps, 'step')}</h3>
      <ol className="data-flow" aria-label="Data flow">
        {before.toReversed().map((step, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a flow may come by one place twice
          <OneStep key={index} step={step} role={index === 0 ? 'Source' : ''} />
        ))}
        {left > 0 && <li className="left-out muted small">{plural(left, 'step')} between these are not kept.</li>}
        {last && <OneStep step={last} role={flow.length > 1 ? 'Sink' : ''} />}
      </ol>
    </section>
  )
}

function OneStep({ step, role }: { step: Step; role: string }) {
  return (
    <li>
      <div className="row small">
        {role && <Tag>{role}</Tag>}
        <Foreign text={`${step.path}${step.startLine > 0 ? `:${step.startLine}` : ''}`} mono />
        {step.message && <Foreign text={step.message} clamp={200} />}
      </div>
      {step.snippet && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard has to reach it
        <pre tabIndex={0}>
          <bdi>{plainly(step.snippet.trim())}</bdi>
        </pre>
      )}
    </li>
  )
}
