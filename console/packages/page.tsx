import { useState } from 'react'
import { useAsk, usePages, useReadOn } from '../api/ask.ts'
import type { Answer, Params, Query } from '../api/contracts.ts'
import { formatSearch, pathPart } from '../app/address/address.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { PersonName } from '../app/former-people.tsx'
import { VersionStrip } from '../charts/version-strip.tsx'
import { ecosystems } from '../dependencies/question.ts'
import { OverrideDialog } from '../firewall/override-dialog.tsx'
import { Button } from '../ui/button.tsx'
import { Link } from '../ui/link.tsx'
import { Table } from '../ui/lists/table.tsx'
import { Card, Page, PageHead } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import { Ago, Severity, Tag } from '../ui/text/marks.tsx'
import { plural } from '../ui/text/words.ts'
import { NoAdvisories, useNoAdvisories } from '../vulnerabilities/no-advisories.tsx'
import { NewsCard, WatchButton } from './watch.tsx'

type Package = Answer<'getPackage'>['package']
type Ecosystem = Params<'getPackage'>['ecosystem']
type FirewallEcosystem = Query<'getVerdict'>['ecosystem']

const tones = { allow: 'ok', block: 'bad', held: 'warn', undetermined: 'warn' } as const

/** Everything about one package. */
export default function PackagePage({ params }: { params: Record<string, string> }) {
  const ecosystem = params.ecosystem ?? ''
  const name = params.name ?? ''
  const to = usePathTo()
  const { why } = useMay('firewall:write')
  const [deciding, setDeciding] = useState<'allow' | 'deny'>()
  const known = useAsk('getPackage', { params: { ecosystem: ecosystem as Ecosystem, name } }, { keep: false })
  return (
    <Page>
      <PageHead
        title={plainly(name)}
        back={{ to: to('dependencies'), label: 'Dependencies' }}
        about={<Tag>{ecosystem}</Tag>}
      >
        <Link
          className="button"
          to={to(
            `dependencies${formatSearch([
              ['ecosystem', ecosystem],
              ['name', name],
            ])}`,
          )}
        >
          Every occurrence
        </Link>
        <WatchButton ecosystem={ecosystem} name={name} />
        <Button why={why} onClick={() => setDeciding('allow')}>
          Allow…
        </Button>
        <Button look="danger" why={why} onClick={() => setDeciding('deny')}>
          Deny…
        </Button>
      </PageHead>
      <NewsCard ecosystem={ecosystem} name={name} />
      {known.error?.status === 404 ? (
        <Card title="Versions in use">
          <p className="muted">No repository that you see has it.</p>
        </Card>
      ) : (
        <Part of={known} lines={6}>
          {({ package: found }) => (
            <>
              {found.versions.length > 0 && <Strip found={found} name={name} />}
              <div className="cards">
                <Versions found={found} name={name} />
                <Verdicts found={found} name={name} />
              </div>
              <Vulnerabilities found={found} />
            </>
          )}
        </Part>
      )}
      <Decisions ecosystem={ecosystem} name={name} />
      {deciding && (
        <OverrideDialog effect={deciding} ecosystem={ecosystem} name={name} onClose={() => setDeciding(undefined)} />
      )}
    </Page>
  )
}

/** The versions in their order, with what is known against them. */
function Strip({ found, name }: { found: Package; name: string }) {
  const to = usePathTo()
  const { ecosystem, versions, vulnerabilities } = found
  return (
    <Card title="Versions in order" aside="oldest to latest, by the order of the ecosystem">
      <VersionStrip
        title={plainly(`Versions of ${name} in use`)}
        versions={versions.toReversed()}
        advisories={vulnerabilities}
        href={(version) => to(occurrences(ecosystem, name, version))}
      />
    </Card>
  )
}

function occurrences(ecosystem: string, name: string, version: string): string {
  return `dependencies${formatSearch([
    ['ecosystem', ecosystem],
    ['package', `${name}@${version}`],
  ])}`
}

function Versions({ found, name }: { found: Package; name: string }) {
  const to = usePathTo()
  const { ecosystem, repositoryCount, directRepositoryCount, versions, licences } = found
  return (
    <Card
      title="Versions in use"
      aside={`${plural(repositoryCount, 'repository', 'repositories')}, ${directRepositoryCount} directly`}
    >
      <Table
        label="Versions in use"
        rows={versions.slice(0, mostVersions)}
        keyOf={(row) => row.version}
        columns={[
          { label: 'Version', cell: (row) => <bdi className="mono">{plainly(row.version || '?')}</bdi> },
          {
            label: 'Repositories',
            cell: (row) => (
              <Link to={to(occurrences(ecosystem, name, row.version))}>{row.repositoryCount.toLocaleString('en')}</Link>
            ),
          },
          { label: 'Vulnerable', cell: (row) => (row.severity ? <Severity level={row.severity} /> : null) },
          { label: 'Firewall', cell: (row) => row.verdict && <Tag tone={tones[row.verdict]}>{row.verdict}</Tag> },
        ]}
      />
      {versions.length > mostVersions && <p className="muted">And {versions.length - mostVersions} older ones.</p>}
      {licences.length > 0 && (
        <p className="small muted">
          Licence: <Foreign text={licences.join(', ')} />
        </p>
      )}
    </Card>
  )
}

const mostVersions = 50
const mostReasons = 8

/**
 * Only what would not simply be let through needs a reason, and what is refused one for each version. Where its registry has
 * to be asked first, it is asked now.
 */
function Verdicts({ found, name }: { found: Package; name: string }) {
  const { ecosystem, versions, verdict } = found
  const { may } = useMay('firewall:read')
  const others = may ? versions.filter((each) => each.version !== '' && each.verdict !== 'allow') : []
  const asked = others.filter(
    (each) =>
      each.verdict === 'block' ||
      each.verdict === null ||
      others.find((other) => other.verdict === each.verdict) === each,
  )
  return (
    <Card title="What the firewall would answer">
      {!may && <p className="muted">You may not read the firewall.</p>}
      {verdict === 'allow' && <p>It would let every version in use through.</p>}
      {asked.slice(0, mostReasons).map(({ version }) => (
        <VerdictRow key={version} ecosystem={ecosystem as FirewallEcosystem} name={name} version={version} />
      ))}
      {asked.length > mostReasons && <p className="muted">And {asked.length - mostReasons} more versions.</p>}
    </Card>
  )
}

function VerdictRow({ ecosystem, name, version }: { ecosystem: FirewallEcosystem; name: string; version: string }) {
  const asked = useAsk('getVerdict', { query: { ecosystem, name, version } })
  return (
    <div className="row">
      <span className="mono">{plainly(version)}</span>
      <Part of={asked} lines={1}>
        {(verdict) => (
          <>
            <Tag tone={tones[verdict.decision]}>{verdict.decision}</Tag>
            <span className="small">
              <Foreign text={verdict.reason} clamp={200} />
            </span>
          </>
        )}
      </Part>
    </div>
  )
}

function NoneKnown() {
  const noAdvisories = useNoAdvisories()
  if (noAdvisories === undefined) return null
  return noAdvisories ? <NoAdvisories /> : <p className="muted">None that advisories know of.</p>
}

function Vulnerabilities({ found }: { found: Package }) {
  const to = usePathTo()
  return (
    <Card title="Vulnerabilities of the versions in use">
      {found.vulnerabilities.length === 0 ? (
        <NoneKnown />
      ) : (
        <Table
          label="Vulnerabilities"
          rows={found.vulnerabilities}
          keyOf={(row) => row.id}
          columns={[
            { label: 'Severity', cell: (row) => <Severity level={row.severity} /> },
            {
              label: 'Vulnerability',
              cell: (row) => (
                <>
                  <Link to={to(`vulnerabilities/${pathPart(row.id)}`)}>
                    <Foreign text={row.id} mono />
                  </Link>{' '}
                  {row.exploited && <Tag tone="bad">Exploited</Tag>}
                </>
              ),
            },
            { label: 'Title', cell: (row) => <Foreign text={row.title.slice(0, 200)} /> },
            { label: 'Versions in use', cell: (row) => <Foreign text={row.versions.slice(0, 6).join(', ')} mono /> },
            { label: 'Fixed in', cell: (row) => <Foreign text={row.fixedVersions.join(', ') || 'not known'} mono /> },
          ]}
        />
      )}
    </Card>
  )
}

/** The firewall has to do with packages of registries alone. */
function Decisions({ ecosystem, name }: { ecosystem: string; name: string }) {
  const { may } = useMay('firewall:read')
  if (!may || !isOfRegistry(ecosystem)) return null
  return (
    <div className="cards">
      <Overridden ecosystem={ecosystem} name={name} />
      <Exposed ecosystem={ecosystem} name={name} />
    </div>
  )
}

function isOfRegistry(ecosystem: string): ecosystem is FirewallEcosystem {
  return (ecosystems as readonly string[]).includes(ecosystem)
}

type DecisionsProps = { ecosystem: FirewallEcosystem; name: string }

function Overridden({ ecosystem, name }: DecisionsProps) {
  const pages = usePages('listOverrides', { query: { pageSize: 100, ecosystem, name } })
  useReadOn(pages)
  return (
    <Card title="Allowed or denied by people">
      <Part of={ofThis(pages)}>
        {({ pages: read }) => {
          const own = read.flatMap((page) => page.overrides)
          if (own.length === 0) return <p className="muted">Nobody decided about it.</p>
          return own.map((override) => (
            <div key={override.id} className="row">
              <Tag tone={override.effect === 'allow' ? 'ok' : 'bad'}>{override.effect}</Tag>
              {override.name.endsWith('*') && <Foreign text={override.name} mono />}
              <span className="mono">{plainly(override.version || 'every version')}</span>
              <Foreign text={override.reason} clamp={200} />
              {override.expiresAt && (
                <span className="muted small">
                  until <Ago at={override.expiresAt} />
                </span>
              )}
            </div>
          ))
        }}
      </Part>
    </Card>
  )
}

function Exposed({ ecosystem, name }: DecisionsProps) {
  const pages = usePages('listExposures', { query: { pageSize: 100, ecosystem, name } })
  useReadOn(pages)
  return (
    <Card title="Given to clients before it was known to be malicious">
      <Part of={ofThis(pages)}>
        {({ pages: read }) => {
          const given = read.flatMap((page) => page.exposures)
          if (given.length === 0) return <p className="muted">To nobody.</p>
          return given.map((each) => (
            <div key={each.id} className="row">
              <span className="mono">{plainly(each.version)}</span>
              <PersonName name={each.personName} who={each.personId} otherwise={`person ${each.personId}`} />{' '}
              <Ago at={each.fetchedAt} />
            </div>
          ))
        }}
      </Part>
    </Card>
  )
}

/** What was answered about the package before is nothing about this one. */
function ofThis<Asked extends { data: unknown; isPlaceholderData: boolean }>(asked: Asked): Asked {
  return asked.isPlaceholderData ? { ...asked, data: undefined } : asked
}
