import { useAsk } from '../api/ask.ts'
import { usePathTo } from '../app/deployment.ts'
import { Link } from '../ui/link.tsx'
import { Part } from '../ui/states.tsx'
import { attentionWords } from './attention-words.ts'

/** Row one: what waits for somebody. What is zero is left out. */
export function Attention() {
  const to = usePathTo()
  const asked = useAsk('getAttention')
  return (
    <section className="stack" aria-labelledby="attention">
      <h2 id="attention" className="row-title">
        Needs a decision
      </h2>
      <Part of={asked} lines={2}>
        {({ items }) => {
          const waiting = items.filter((item) => item.count > 0)
          if (waiting.length === 0) return <p className="muted">Nothing waits for you.</p>
          return (
            <div className="cards small filled">
              {waiting.map(({ kind, count }) => {
                const { one, many, path } = attentionWords[kind]
                return (
                  <Link key={kind} to={to(path)} className="stat bad" data-kind={kind}>
                    <span className="figure">{count.toLocaleString('en')}</span>
                    <span className="means">{count === 1 ? one : many}</span>
                  </Link>
                )
              })}
            </div>
          )
        }}
      </Part>
    </section>
  )
}
