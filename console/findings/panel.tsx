import type { Finding } from '../../src/capabilities/findings/finding.ts'
import { useAsk } from '../api/ask.ts'
import { pathPart } from '../app/address/address.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { Discussion } from '../triage/discussion.tsx'
import type { Decision } from '../triage/use-triage.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icons.tsx'
import { Link } from '../ui/link.tsx'
import { Menu } from '../ui/overlays/menu.tsx'
import { Part } from '../ui/states.tsx'
import { copy } from '../ui/text/copy-line.tsx'
import { Foreign, OutLink } from '../ui/text/foreign.tsx'
import { Exact, Severity, State, Tag } from '../ui/text/marks.tsx'
import { label, wordOf } from '../ui/text/words.ts'
import { CodeBlock } from './code-block.tsx'
import { History } from './history.tsx'
import { Tickets } from './tickets.tsx'
import { asMarkdown, whyItMatters } from './words.ts'

export type PanelActions = {
  onDecide: (findings: readonly Finding[], decision: Decision) => void
  onIgnore: (findings: readonly Finding[]) => void
  onTicket: (findings: readonly Finding[]) => void
  onClose: () => void
}

export function FindingPanel({ id, ...actions }: { id: string } & PanelActions) {
  const asked = useAsk('getFinding', { params: { findingId: Number(id) } }, { keep: false })
  return (
    <Part of={asked} lines={6}>
      {({ data }) => (
        <>
          <Head finding={data} {...actions} />
          <div className="panel-body">
            <About finding={data} />
            <Facts finding={data} />
            <Discussion kind="finding" id={data.id} />
            <Tickets findingId={data.id} />
            <History findingId={Number(data.id)} />
          </div>
        </>
      )}
    </Part>
  )
}

function Head({ finding, onDecide, onIgnore, onTicket, onClose }: { finding: Finding } & PanelActions) {
  const triage = useMay('findings:triage')
  const tickets = useMay('tickets:write')
  const decide = (triageState: Decision['triageState']) => () => onDecide([finding], { triageState })
  const address = `${location.origin}${location.pathname}`
  return (
    <header className="panel-head">
      <div className="row">
        <Severity level={finding.severity} />
        <State state={finding.triageState} />
        <Tag>{label(wordOf(finding.product))}</Tag>
        {finding.malicious && <Tag tone="bad">Malicious</Tag>}
        <span className="push muted small mono">#{finding.id}</span>
        <Button look="icon" aria-label="Close the panel" onClick={onClose}>
          <Icon name="close" />
        </Button>
      </div>
      <h2>
        <Foreign text={finding.title} clamp={300} />
      </h2>
      <div className="row">
        <Button onClick={decide('TRIAGE_STATE_REVIEWING')} why={triage.why}>
          Review
        </Button>
        <Button onClick={decide('TRIAGE_STATE_FIXING')} why={triage.why}>
          Fixing
        </Button>
        <Button onClick={() => onIgnore([finding])} why={triage.why}>
          Ignore…
        </Button>
        <Button onClick={() => onTicket([finding])} why={tickets.why}>
          Make ticket
        </Button>
        <Menu
          label="More"
          items={[
            { label: 'Open again', key: 'u', run: decide('TRIAGE_STATE_OPEN'), why: triage.why },
            { label: 'Copy link', key: 'y', run: () => void copy(location.href, 'Link') },
            { label: 'Copy as Markdown', run: () => void copy(asMarkdown(finding, address), 'Finding') },
          ]}
        >
          <Icon name="dots" />
        </Menu>
      </div>
    </header>
  )
}

function About({ finding }: { finding: Finding }) {
  const why = whyItMatters(finding)
  const [first] = finding.locations
  const aside = `${finding.repository}@${finding.pullRequest > 0 ? `#${finding.pullRequest}` : finding.ref}`
  return (
    <>
      <div className="prose">
        <p>
          <Foreign text={finding.message} clamp={1_200} />
        </p>
        {why.length > 0 && (
          <ul>
            {why.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        )}
      </div>
      {finding.locations.length === 0 && finding.path && (
        <CodeBlock
          location={{
            path: finding.path,
            startLine: finding.startLine,
            startColumn: 0,
            endLine: 0,
            endColumn: 0,
            snippet: '',
          }}
          aside={aside}
          href={finding.links.file}
        />
      )}
      {first && (
        <CodeBlock location={first} aside={aside} href={first.path === finding.path ? finding.links.file : ''} />
      )}
      {finding.locations.slice(1).map((location) => (
        <CodeBlock
          key={`${location.path}:${location.startLine}:${location.startColumn}`}
          location={location}
          aside="also here"
        />
      ))}
    </>
  )
}

function Facts({ finding }: { finding: Finding }) {
  const to = usePathTo()
  const texts = (values: readonly string[]) => values.filter(Boolean).join(', ')
  const rows: [name: string, value: React.ReactNode][] = [
    [
      'Repository',
      <Link key="repository" to={to(`findings?repo=${pathPart(finding.repository).replaceAll('%2F', '/')}`)}>
        <Foreign text={finding.repository} />
      </Link>,
    ],
    ['Branch', <Foreign key="ref" text={finding.ref} mono />],
    [
      'Rule',
      finding.ruleId && (
        <Link key="rule" to={to(`findings?rule=${pathPart(finding.ruleId)}`)}>
          <Foreign text={finding.ruleId} mono />
        </Link>
      ),
    ],
    ['Source', <Foreign key="source" text={finding.source} />],
    [
      'Dependency',
      finding.dependency && (
        <Foreign key="dependency" text={`${finding.dependency.name}@${finding.dependency.version}`} mono />
      ),
    ],
    ['Confidence', wordOf(finding.confidence) !== 'unspecified' && label(wordOf(finding.confidence))],
    ['Reachability', wordOf(finding.reachability) !== 'unspecified' && label(wordOf(finding.reachability))],
    ['Validity', wordOf(finding.validity) !== 'unspecified' && label(wordOf(finding.validity))],
    ['Weaknesses', finding.cwes.length > 0 && <Foreign key="cwes" text={texts(finding.cwes)} />],
    ['OWASP', finding.owasp.length > 0 && <Foreign key="owasp" text={texts(finding.owasp)} />],
    [
      'Vulnerability',
      finding.vulnerabilityIds.length > 0 && <Foreign key="vulnerabilities" text={texts(finding.vulnerabilityIds)} />,
    ],
    ['Secret', finding.secretHint && <Foreign key="hint" text={`begins with ${finding.secretHint}`} />],
    [
      'Inside',
      finding.logicalLocations.length > 0 && <Foreign key="inside" text={texts(finding.logicalLocations)} mono />,
    ],
    [
      'Commit',
      finding.commit && (
        <OutLink key="commit" address={finding.links.commit}>
          <Foreign text={finding.commit.slice(0, 12)} mono />
        </OutLink>
      ),
    ],
    [
      'Pull request',
      finding.pullRequest > 0 && (
        <OutLink key="pull" address={finding.links.pullRequest}>
          <span>#{finding.pullRequest}</span>
        </OutLink>
      ),
    ],
    [
      'Scan',
      finding.scanId > 0 && (
        <Link key="scan" to={to(`scans/${finding.scanId}`)}>
          #{finding.scanId}
        </Link>
      ),
    ],
    ['Raised', <Exact key="raised" at={finding.raisedAt} />],
    ['Fixed', finding.fixedAt && <Exact key="fixed" at={finding.fixedAt} />],
  ]
  return (
    <dl className="facts">
      {rows
        .filter(([, value]) => value)
        .map(([name, value]) => (
          <FactRow key={name} name={name} value={value} />
        ))}
    </dl>
  )
}

function FactRow({ name, value }: { name: string; value: React.ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  )
}
