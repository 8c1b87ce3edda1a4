import { type ReactNode, useEffect, useRef } from 'react'
import { useCurrentInSight } from './in-sight.ts'
import { Link } from './link.tsx'
import { plainly } from './text/foreign-text.ts'

/** The head of a page. Its title, often what somebody named it, is also the window's, and hides nothing in either. */
export function PageHead(props: {
  title: string
  about?: ReactNode
  back?: { to: string; label: string }
  children?: ReactNode
}) {
  useTitle(props.title)
  return (
    <header className="page-head">
      <div className="stack tight">
        {props.back && (
          <Link to={props.back.to} className="small">
            ← {props.back.label}
          </Link>
        )}
        <h1 tabIndex={-1}>{plainly(props.title)}</h1>
        {props.about && <div className="about">{props.about}</div>}
      </div>
      {props.children && <div className="row push">{props.children}</div>}
    </header>
  )
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${plainly(title)} · Gatehouse`
  }, [title])
}

export function Page({ children, narrow }: { children: ReactNode; narrow?: boolean }) {
  return <div className={narrow ? 'page narrow' : 'page'}>{children}</div>
}

export function Card({ title, aside, children }: { title?: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section className="card">
      {title && (
        <header>
          <h2>{title}</h2>
          {aside && <span className="muted">{aside}</span>}
        </header>
      )}
      {children}
    </section>
  )
}

export type Tab = { to: string; label: string; count?: number | undefined; current: boolean }

export function Tabs({ label, tabs }: { label: string; tabs: Tab[] }) {
  const row = useRef<HTMLElement>(null)
  // Counts come later, and move what is beside them.
  useCurrentInSight(row, tabs.map((tab) => `${tab.current ? tab.to : ''} ${tab.count ?? ''}`).join())
  return (
    <nav ref={row} className="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <Link key={tab.to} to={tab.to} aria-current={tab.current ? 'page' : undefined}>
          {tab.label}
          {tab.count !== undefined && <span className="muted num"> {tab.count.toLocaleString('en')}</span>}
        </Link>
      ))}
    </nav>
  )
}
