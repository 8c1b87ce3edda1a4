import { type ReactNode, useEffect, useState } from 'react'
import type { Problem } from '../api/problem.ts'
import { Button } from './button.tsx'
import { Foreign } from './text/foreign.tsx'

/** The problem document as it is, and a way on where there is one. */
export function ErrorBox({ problem, retry }: { problem: Problem; retry?: (() => void) | undefined }) {
  const wait = useCountdown(problem.retryAfter ?? 0, problem)
  return (
    <div className="error-box" role="alert">
      <strong>
        <Foreign text={problem.message} />
      </strong>
      {problem.errors.map((each) => (
        <span key={each.pointer + each.detail}>
          <code>{each.pointer}</code> <Foreign text={each.detail} />
        </span>
      ))}
      <span className="muted small">
        {problem.status > 0 && <a href={`/docs/errors#${problem.code}`}>{problem.code}</a>}
        {problem.requestId && (
          <>
            {' · request '}
            <code>{problem.requestId}</code>
          </>
        )}
      </span>
      {retry && problem.passes && (
        <Button onClick={retry} why={wait > 0 ? `The server asks to wait ${wait} s.` : undefined}>
          {wait > 0 ? `Try again in ${wait} s` : 'Try again'}
        </Button>
      )}
    </div>
  )
}

export function useCountdown(seconds: number, since: unknown): number {
  const [left, setLeft] = useState(Math.ceil(seconds))
  // biome-ignore lint/correctness/useExhaustiveDependencies: another problem starts another countdown
  useEffect(() => {
    setLeft(Math.ceil(seconds))
    const timer = setInterval(() => setLeft((before) => Math.max(0, before - 1)), 1_000)
    return () => clearInterval(timer)
  }, [seconds, since])
  return left
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty fade">
      <h2>{title}</h2>
      {children}
    </div>
  )
}

const skeletons = ['one', 'two', 'three', 'four', 'five', 'six']

/** What stands in for a first answer, and only if it takes a moment. */
export function Waiting({ lines = 3 }: { lines?: number }) {
  const [late, setLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), 150)
    return () => clearTimeout(timer)
  }, [])
  return (
    <div className="stack" aria-busy="true" aria-live="polite">
      <span className="visually-hidden">Loading</span>
      {late && skeletons.slice(0, lines).map((name) => <span key={name} className="skeleton" />)}
    </div>
  )
}

type Asked<T> = { data: T | undefined; error: Problem | null; refetch: () => unknown }

/** A part of a page that waits, fails and is filled on its own. */
export function Part<T>({
  of,
  children,
  lines = 3,
  missing,
}: {
  of: Asked<T>
  children: (data: T) => ReactNode
  lines?: number
  /** What else may be said where it is not there. */
  missing?: ReactNode
}) {
  if (of.data !== undefined) return children(of.data)
  if (!of.error) return <Waiting lines={lines} />
  if (of.error.status === 403) return <Forbidden problem={of.error} />
  return (
    <>
      <ErrorBox problem={of.error} retry={() => void of.refetch()} />
      {of.error.status === 404 && missing}
    </>
  )
}

export function Forbidden({ problem }: { problem: Problem }) {
  return (
    <Empty title="Not visible to you">
      <p>
        <Foreign text={problem.message} /> An owner or admin of the deployment can give you another role or add you to a
        team.
      </p>
    </Empty>
  )
}
