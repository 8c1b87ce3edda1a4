import type { Issue, ListName } from '../../src/capabilities/issues/issue.ts'
import { useAsk, usePages } from '../api/ask.ts'
import { formatSearch } from '../app/address/address.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { useNameWithLeft } from '../app/former-people.tsx'
import { Discussion } from '../triage/discussion.tsx'
import { Tickets, useTickets } from '../triage/tickets.tsx'
import type { Decision } from '../triage/use-triage.ts'
import { Button } from '../ui/button.tsx'
import { useRepositoryNames } from '../ui/forms/repository-chooser.tsx'
import { Icon } from '../ui/icons.tsx'
import { Link } from '../ui/link.tsx'
import { Menu } from '../ui/overlays/menu.tsx'
import { Part } from '../ui/states.tsx'
import { copy } from '../ui/text/copy-line.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { Ago, Exact, Severity, State, Tag } from '../ui/text/marks.tsx'
import { label, plural, wordOf } from '../ui/text/words.ts'

export type IssueActions = {
  onDecide: (issues: readonly Issue[], decision: Decision) => void
  onIgnore: (issues: readonly Issue[]) => void
  onTicket: (issues: readonly Issue[]) => void
  onClose: () => void
}

/** The issue that is open; what asks for it in several places is asked once. */
export function useOpenIssue(id: string | undefined) {
  return useAsk('getIssue', { params: { issueId: Number(id) } }, { keep: false, enabled: id !== undefined })
}

export function IssuePanel({ id, ...actions }: { id: string } & IssueActions) {
  const asked = useOpenIssue(id)
  return (
    <Part of={asked} lines={6}>
      {({ data }) => (
        <>
          <Head issue={data} {...actions} />
          <div className="panel-body">
            <Text title="What was found" text={data.description} />
            <Text title="Why the detector thinks so" text={data.reasoning} />
            <Facts issue={data} />
            <Lists issue={data} />
            <Discussion kind="issue" id={data.id} />
            <Tickets kind="issue" id={data.id} />
            <Activity issueId={Number(data.id)} />
          </div>
        </>
      )}
    </Part>
  )
}

function Head({ issue, onDecide, onIgnore, onTicket, onClose }: { issue: Issue } & IssueActions) {
  const { why } = useMay('issues:triage')
  const tickets = useMay('tickets:write')
  const ticketed = useTickets({ kind: 'issue', id: issue.id }).data?.tickets.length
  const decide = (triageState: Decision['triageState']) => () => onDecide([issue], { triageState })
  return (
    <header className="panel-head">
      <div className="row">
        <Severity level={issue.severity} />
        <State state={issue.triageState} />
        {issue.detectionState === 'DETECTION_STATE_NOT_DETECTED' && <Tag tone="ok">no longer seen</Tag>}
        <span className="push muted small mono">#{issue.id}</span>
        <Button look="icon" aria-label="Close the panel" onClick={onClose}>
          <Icon name="close" />
        </Button>
      </div>
      <h2>
        <Foreign text={issue.title} clamp={300} />
      </h2>
      <div className="row">
        <Button onClick={decide('TRIAGE_STATE_REVIEWING')} why={why}>
          Review
        </Button>
        <Button onClick={decide('TRIAGE_STATE_FIXING')} why={why}>
          Fixing
        </Button>
        <Button onClick={() => onIgnore([issue])} why={why}>
          Ignore…
        </Button>
        <Button
          onClick={() => onTicket([issue])}
          why={tickets.why ?? (ticketed ? 'It has a ticket already.' : undefined)}
        >
          Make ticket
        </Button>
        <Menu
          label="More"
          items={[
            { label: 'Open again', key: 'u', run: decide('TRIAGE_STATE_OPEN'), why },
            { label: 'Fixed', run: decide('TRIAGE_STATE_FIXED'), why },
            { label: 'Copy link', key: 'y', run: () => void copy(location.href, 'Link') },
          ]}
        >
          <Icon name="dots" />
        </Menu>
      </div>
    </header>
  )
}

function Text({ title, text }: { title: string; text: string }) {
  if (!text) return null
  return (
    <section className="stack tight">
      <h3>{title}</h3>
      <p className="text-block">
        <Foreign text={text} clamp={2_000} />
      </p>
    </section>
  )
}

function Facts({ issue }: { issue: Issue }) {
  const to = usePathTo()
  const names = useRepositoryNames(issue.projectIds.slice(0, 20))
  const reason = wordOf(issue.triageReason)
  return (
    <dl className="facts">
      <dt>Repositories</dt>
      <dd className="row">
        {issue.projectIds.length === 0 && <span className="muted">the whole deployment</span>}
        {issue.projectIds.slice(0, 20).map((id) => (
          <Link key={id} to={to(`issues${formatSearch([['repo', names[id] ?? id]])}`)}>
            <Foreign text={names[id] ?? id} />
          </Link>
        ))}
        {issue.projectIds.length > 20 && (
          <span className="muted">{plural(issue.projectIds.length - 20, 'more', 'more')}</span>
        )}
      </dd>
      <dt>Created</dt>
      <dd>
        <Exact at={issue.createdAt} />
      </dd>
      <dt>Last seen</dt>
      <dd>
        <Exact at={issue.lastDetectedAt} />
      </dd>
      {reason !== 'unspecified' && (
        <>
          <dt>Reason</dt>
          <dd>{label(reason)}</dd>
        </>
      )}
      {issue.triagedAt && (
        <>
          <dt>Decided</dt>
          <dd>
            <Exact at={issue.triagedAt} />
          </dd>
        </>
      )}
    </dl>
  )
}

const listTitles: Record<ListName, string> = {
  actions: 'Actions of the workflow',
  workflowIds: 'Workflows',
  identities: 'Identities it acts as',
  triggerSources: 'What sets it off',
  domains: 'Domains it reaches out to',
  dependencyPaths: 'How dependencies come in',
  directDependencies: 'Direct dependencies',
  filePaths: 'Files',
  refIds: 'Branches and commits',
  cwes: 'Weaknesses',
  owasps: 'OWASP',
}

function Lists({ issue }: { issue: Issue }) {
  return (Object.keys(listTitles) as ListName[])
    .filter((name) => issue[name].length > 0)
    .map((name) => (
      <section key={name} className="stack tight">
        <h3>{listTitles[name]}</h3>
        <ul className="stack tight small">
          {issue[name].map((text) => (
            <li key={text}>
              <Foreign text={text} mono clamp={300} />
            </li>
          ))}
        </ul>
      </section>
    ))
}

function Activity({ issueId }: { issueId: number }) {
  const pages = usePages('listIssueActivity', { params: { issueId } })
  const withLeft = useNameWithLeft()
  return (
    <section className="stack">
      <h3>History</h3>
      <Part of={pages}>
        {(data) => {
          const rows = data.pages.flatMap((page) => page.activity)
          if (rows.length === 0) return <p className="muted small">Nothing was decided yet.</p>
          return (
            <ol className="timeline">
              {rows.map((each) => (
                <li key={each.seq}>
                  <div>
                    <State state={each.toState} />{' '}
                    <Foreign
                      text={
                        each.decidedBy === 'DECIDER_AUTOMATION'
                          ? 'by a report'
                          : `by ${withLeft(each.personName, each.personId) || 'somebody who has left'}${each.tokenId > 0 ? ' with a token' : ''}`
                      }
                    />{' '}
                    <span className="muted">
                      {wordOf(each.toReason) !== 'unspecified' && `· ${label(wordOf(each.toReason))} `}·{' '}
                      <Ago at={each.at} />
                    </span>
                  </div>
                </li>
              ))}
            </ol>
          )
        }}
      </Part>
      {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>Older changes</Button>}
    </section>
  )
}
