import { useNow } from './now.ts'
import { ago, exact } from './time.ts'
import { label, wordOf } from './words.ts'

export function Severity({ level }: { level: string }) {
  const word = wordOf(level)
  return <span className={`severity ${word}`}>{label(word)}</span>
}

export function State({ state }: { state: string }) {
  const word = wordOf(state)
  return <span className={`state ${word}`}>{label(word)}</span>
}

export function Tag({ children, tone }: { children: string; tone?: 'bad' | 'ok' | 'warn' | undefined }) {
  return <span className={tone ? `tag ${tone}` : 'tag'}>{children}</span>
}

/** Relative, with the exact moment behind it. */
export function Ago({ at }: { at: string | null | undefined }) {
  const now = useNow()
  if (!at) return <span className="muted">never</span>
  return (
    <time dateTime={at} title={exact(at)}>
      {ago(at, now)}
    </time>
  )
}

/** A day that something is due on: marked once it has passed. */
export function Due({ at }: { at: string }) {
  const isLate = Date.parse(at) < useNow()
  return (
    <span className={isLate ? 'wrong' : undefined}>
      <Ago at={at} />
      {isLate && <span className="visually-hidden"> overdue</span>}
    </span>
  )
}

export function Exact({ at }: { at: string }) {
  return <time dateTime={at}>{exact(at)}</time>
}
