import { lazy, Suspense, useState } from 'react'
import type { Finding, FindingDetail } from '../../../src/capabilities/findings/finding.ts'
import { useAsk } from '../../api/ask.ts'
import { formatSearch, type Pair, pathPart } from '../../app/address/address.ts'
import { readFilter } from '../../app/address/filter.ts'
import { useMay, usePathTo } from '../../app/deployment.ts'
import { packagePath } from '../../dependencies/package-path.ts'
import { PerhapsNotVisible } from '../../repositories/not-visible.tsx'
import { Discussion } from '../../triage/discussion.tsx'
import { Tickets, useTickets } from '../../triage/tickets.tsx'
import type { Decision } from '../../triage/use-triage.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icons.tsx'
import { Link } from '../../ui/link.tsx'
import { Menu } from '../../ui/overlays/menu.tsx'
import { Part } from '../../ui/states.tsx'
import { copy } from '../../ui/text/copy-line.tsx'
import { Foreign, OutLink } from '../../ui/text/foreign.tsx'
import { Exact, Severity, State, Tag } from '../../ui/text/marks.tsx'
import { bounded, label, noun, wordOf } from '../../ui/text/words.ts'
import { Exploitation } from '../../vulnerabilities/exploitation.tsx'
import { findingFields, openStates } from '../filter.ts'
import { useOpenFinding } from '../question.ts'
import { asMarkdown, whyItMatters } from '../words.ts'
import { CodeBlock } from './code-block.tsx'
import { DataFlow } from './data-flow.tsx'
import { History } from './history.tsx'
import { RuleHelp } from './rule-help.tsx'

// Asked for seldom: not part of what every visit loads.
const MemoryDialog = lazy(async () => ({ default: (await import('../../memories/form.tsx')).MemoryDialog }))
const FireDialog = lazy(async () => ({ default: (await import('./fire-dialog.tsx')).FireDialog }))

export type PanelActions = {
  onDecide: (findings: readonly Finding[], decision: Decision) => void
  onIgnore: (findings: readonly Finding[]) => void
  onTicket: (findings: readonly Finding[]) => void
  onClose: () => void
}

export function FindingPanel({ id, ...actions }: { id: string } & PanelActions) {
  const asked = useOpenFinding(id)
  return (
    <Part of={asked} lines={6} missing={<PerhapsNotVisible />}>
      {({ data, detail }) => (
        <>
          <Head finding={data} {...actions} />
          <div className="panel-body">
            <About finding={data} detail={detail} />
            <Facts finding={data} detail={detail} />
            <RuleHelp rule={detail.rule} said={data.message} />
            <Discussion kind="finding" id={data.id} />
            <Tickets kind="finding" id={data.id} />
            <History findingId={Number(data.id)} source={data.source} />
          </div>
        </>
      )}
    </Part>
  )
}

function Head({ finding, onDecide, onIgnore, onTicket, onClose }: { finding: Finding } & PanelActions) {
  const triage = useMay('findings:triage')
  const tickets = useMay('tickets:write')
  const ticketed = useTickets({ kind: 'finding', id: finding.id }).data?.tickets.length
  const decide = (triageState: Decision['triageState']) => () => onDecide([finding], { triageState })
  const address = `${location.origin}${location.pathname}`
  const remember = useMay('memories:write')
  const fire = useMay('automations:fire')
  const [open, setOpen] = useState<'memory' | 'fire'>()
  const close = () => setOpen(undefined)
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
        <Button
          onClick={() => onTicket([finding])}
          why={tickets.why ?? (ticketed ? 'It has a ticket already.' : undefined)}
        >
          Make ticket
        </Button>
        <Menu
          label="More"
          items={[
            { label: 'Open again', key: 'u', run: decide('TRIAGE_STATE_OPEN'), why: triage.why },
            { label: 'Memory from this…', run: () => setOpen('memory'), why: remember.why },
            { label: 'Fire an automation…', run: () => setOpen('fire'), why: fire.why },
            { label: 'Copy link', key: 'y', run: () => void copy(location.href, 'Link') },
            { label: 'Copy as Markdown', run: () => void copy(asMarkdown(finding, address), 'Finding') },
          ]}
        >
          <Icon name="dots" />
        </Menu>
      </div>
      <Suspense>
        {open === 'memory' && (
          <MemoryDialog
            start={{
              repositoryId: finding.repositoryId,
              ruleId: finding.ruleId,
              pathPrefixes: finding.path ? [finding.path] : [],
            }}
            onClose={close}
          />
        )}
        {open === 'fire' && <FireDialog findingId={finding.id} onClose={close} />}
      </Suspense>
    </header>
  )
}

function About({ finding, detail }: { finding: Finding; detail: FindingDetail }) {
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
        <HowExploited ids={finding.vulnerabilityIds} />
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
          hasCode={!finding.dependency}
        />
      )}
      {first && (
        <CodeBlock
          location={first}
          aside={aside}
          href={first.path === finding.path ? finding.links.file : ''}
          surroundings={detail.surroundings}
          hasCode={!finding.dependency}
        />
      )}
      {finding.locations.slice(1).map((location) => (
        <CodeBlock
          key={`${location.path}:${location.startLine}:${location.startColumn}`}
          location={location}
          aside="also here"
        />
      ))}
      <DataFlow flow={detail.flow} steps={finding.codeFlow?.steps ?? 0} />
    </>
  )
}

/** What lists say about its vulnerability. Nothing where no advisory knows it: a scanner may name what feeds have not. */
function HowExploited({ ids: [first = ''] }: { ids: readonly string[] }) {
  const { may } = useMay('dependencies:read')
  const { data } = useAsk(
    'getVulnerability',
    { params: { vulnerabilityId: first } },
    { keep: false, enabled: may && first !== '' },
  )
  return data && <Exploitation {...data.vulnerability} />
}

/** It keeps its state, so nothing else says that its code is gone. */
function Missing({ scanId, observedAt }: NonNullable<FindingDetail['missing']>) {
  const to = usePathTo()
  return (
    <span>
      {scanId > 0 ? <Link to={to(`scans/${scanId}`)}>the latest scan, #{scanId},</Link> : 'the latest look'} does not
      have it, <Exact at={observedAt} />
    </span>
  )
}

function Facts({ finding, detail }: { finding: Finding; detail: FindingDetail }) {
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
    ['Elsewhere', finding.ruleId && <Elsewhere key="elsewhere" finding={finding} />],
    ['Source', <Foreign key="source" text={finding.source} />],
    ['Dependency', finding.dependency && <PackageLink key="dependency" dependency={finding.dependency} />],
    [
      'Upgrade to',
      detail.fixedVersion && finding.dependency ? (
        <Foreign key="fixed" text={`${finding.dependency.name} ${detail.fixedVersion}`} mono />
      ) : (
        finding.dependency && !finding.malicious && 'No fixed version is known.'
      ),
    ],
    [
      'Comes in',
      detail.transitivity === 'direct'
        ? 'directly'
        : detail.transitivity === 'transitive' && (
            <Foreign key="way" text={finding.logicalLocations.join(' > ') || 'by another dependency'} mono />
          ),
    ],
    ['Confidence', wordOf(finding.confidence) !== 'unspecified' && label(wordOf(finding.confidence))],
    ['Reachability', wordOf(finding.reachability) !== 'unspecified' && label(wordOf(finding.reachability))],
    ['Validity', wordOf(finding.validity) !== 'unspecified' && label(wordOf(finding.validity))],
    ['Weaknesses', finding.cwes.length > 0 && <Foreign key="cwes" text={texts(finding.cwes)} />],
    ['OWASP', finding.owasp.length > 0 && <Foreign key="owasp" text={texts(finding.owasp)} />],
    [
      'Vulnerability',
      finding.vulnerabilityIds.length > 0 && (
        <span key="vulnerabilities" className="row">
          {finding.vulnerabilityIds.map((id) => (
            <Link key={id} to={to(`vulnerabilities/${pathPart(id)}`)}>
              <Foreign text={id} mono />
            </Link>
          ))}
        </span>
      ),
    ],
    ['Secret', finding.secretHint && <Foreign key="hint" text={`begins with ${finding.secretHint}`} />],
    [
      'Inside',
      detail.transitivity === '' && finding.logicalLocations.length > 0 && (
        <Foreign key="inside" text={texts(finding.logicalLocations)} mono />
      ),
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
    [
      'Due',
      finding.dueAt && (
        <span key="due" className="row tight">
          <Exact at={finding.dueAt} />
          {Date.parse(finding.dueAt) < Date.now() && <Tag tone="bad">overdue</Tag>}
        </span>
      ),
    ],
    ['Fixed', finding.fixedAt && <Exact key="fixed" at={finding.fixedAt} />],
    ['No longer found', detail.missing && <Missing key="missing" {...detail.missing} />],
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

/** The same in all that one sees besides this one: what is decided here may be decided there too. */
function Elsewhere({ finding }: { finding: Finding }) {
  const to = usePathTo()
  const [vulnerability] = finding.vulnerabilityIds
  const pair: Pair = vulnerability ? ['vuln', vulnerability] : ['rule', finding.ruleId]
  const { filter } = readFilter(findingFields, [pair])
  const { data } = useAsk('countFindings', { body: { filter } }, { keep: false })
  if (!data) return '…'
  const isCounted = (openStates as readonly string[]).includes(wordOf(finding.triageState))
  const total = data.total - (isCounted ? 1 : 0)
  if (total <= 0) return 'nowhere'
  return (
    <Link to={to(`findings${formatSearch([pair])}`)}>
      {bounded({ ...data, total })} more open {noun(total, 'finding')} of this{' '}
      {vulnerability ? 'vulnerability' : 'rule'}
    </Link>
  )
}

function PackageLink({ dependency }: { dependency: NonNullable<Finding['dependency']> }) {
  const to = usePathTo()
  const { ecosystem, name, version } = dependency
  const shown = <Foreign text={version ? `${name}@${version}` : name} mono />
  return ecosystem ? <Link to={to(packagePath({ ecosystem, name }))}>{shown}</Link> : shown
}

function FactRow({ name, value }: { name: string; value: React.ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  )
}
