import { useState } from 'react'
import { useAsk, usePages, useReadOn } from '../api/ask.ts'
import type { Answer, Body, Query } from '../api/contracts.ts'
import { formatSearch } from '../app/address.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { OverrideDialog } from '../firewall/override-dialog.tsx'
import { Button } from '../ui/button.tsx'
import { Foreign } from '../ui/foreign.tsx'
import { plainly } from '../ui/foreign-text.ts'
import { Link } from '../ui/link.tsx'
import { Ago, Severity, Tag } from '../ui/marks.tsx'
import { Card, Page, PageHead } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { plural } from '../ui/words.ts'

type Filter = NonNullable<Body<'listDependencies'>['dependencyFilter']>
type Ecosystem = Query<'getVerdict'>['ecosystem']

/** Everything about one package. */
export default function PackagePage({ params }: { params: Record<string, string> }) {
  const ecosystem = params.ecosystem ?? ''
  const name = params.name ?? ''
  const to = usePathTo()
  const { why } = useMay('firewall:write')
  const [deciding, setDeciding] = useState<'allow' | 'deny'>()
  const filter = { packageFilters: [{ name, exactNameMatch: true }], ecosystem: [ecosystem] } as Filter
  const uses = usePages('listDependencies', { body: { dependencyFilter: filter, pageSize: 100 } }, { where: 'body' })
  const rows = uses.data?.pages.flatMap((page) => page.dependencies) ?? []
  useReadOn(uses, rows.length < 2_000)
  const versions = [...Map.groupBy(rows, (row) => row.version)].sort(([a], [b]) =>
    a.localeCompare(b, 'en', { numeric: true }),
  )
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
        <Button why={why} onClick={() => setDeciding('allow')}>
          Allow…
        </Button>
        <Button look="danger" why={why} onClick={() => setDeciding('deny')}>
          Deny…
        </Button>
      </PageHead>
      <div className="cards">
        <Card
          title="Versions in use"
          aside={
            uses.data &&
            `${plural(new Set(rows.map((row) => row.repositoryId)).size, 'repository', 'repositories')}${uses.hasNextPage ? ' at least' : ''}`
          }
        >
          <Part of={uses}>
            {() =>
              versions.length === 0 ? (
                <p className="muted">No repository that you see has it.</p>
              ) : (
                <ol className="strip">
                  {versions.map(([version, group]) => (
                    <li key={version}>
                      <span className="mono">{plainly(version || '?')}</span>
                      <Link
                        to={to(
                          `dependencies${formatSearch([
                            ['package', `${name}@${version}`],
                            ['ecosystem', ecosystem],
                          ])}`,
                        )}
                        className="small"
                      >
                        {plural(new Set(group.map((row) => row.repositoryId)).size, 'repo')}
                      </Link>
                    </li>
                  ))}
                </ol>
              )
            }
          </Part>
          <Licences rows={rows} />
        </Card>
        <Verdicts
          ecosystem={ecosystem as Ecosystem}
          name={name}
          versions={versions
            .map(([version]) => version)
            .filter(Boolean)
            .slice(0, 8)}
        />
      </div>
      <Findings name={name} />
      <Decisions ecosystem={ecosystem} name={name} />
      {deciding && (
        <OverrideDialog effect={deciding} ecosystem={ecosystem} name={name} onClose={() => setDeciding(undefined)} />
      )}
    </Page>
  )
}

function Licences({ rows }: { rows: readonly { license: string }[] }) {
  const licences = [...new Set(rows.map((row) => row.license).filter(Boolean))]
  if (licences.length === 0) return null
  return (
    <p className="small muted">
      Licence: <Foreign text={licences.join(', ')} />
    </p>
  )
}

function Verdicts({ ecosystem, name, versions }: { ecosystem: Ecosystem; name: string; versions: readonly string[] }) {
  return (
    <Card title="What the firewall would answer">
      {versions.length === 0 && <p className="muted">No version is in use. Ask for one under Firewall.</p>}
      {versions.map((version) => (
        <VerdictRow key={version} ecosystem={ecosystem} name={name} version={version} />
      ))}
    </Card>
  )
}

const tones = { allow: 'ok', block: 'bad', held: 'warn', undetermined: 'warn' } as const

function VerdictRow({ ecosystem, name, version }: { ecosystem: Ecosystem; name: string; version: string }) {
  const asked = useAsk('getVerdict', { query: { ecosystem, name, version } })
  return (
    <div className="row">
      <span className="mono">{plainly(version)}</span>
      <Part of={asked} lines={1}>
        {(verdict) => (
          <>
            <Tag tone={tones[verdict.decision]}>{verdict.decision}</Tag>
            <Foreign text={verdict.reason} clamp={200} />
          </>
        )}
      </Part>
    </div>
  )
}

/** By vulnerability, as the server counts them: of a package that is used widely no page of findings has them all. */
function Findings({ name }: { name: string }) {
  const to = usePathTo()
  const filter = { dependency: { name: name.slice(0, 500) } }
  const asked = usePages('groupFindings', { body: { filter, by: 'vulnerability', pageSize: 100 } }, { where: 'body' })
  useReadOn(asked)
  return (
    <Card title="Vulnerabilities found in it">
      <Part of={asked}>
        {({ pages }) => {
          const groups = pages.flatMap((page) => page.groups)
          if (groups.length === 0) return <p className="muted">None.</p>
          return (
            <table className="table">
              <tbody>
                {groups.map((group) => (
                  <tr key={group.value}>
                    <td>
                      <Severity level={group.worstSeverity} />
                    </td>
                    <td>
                      <Link to={to(`vulnerabilities/${encodeURIComponent(group.value)}`)}>
                        <Foreign text={group.value} mono />
                      </Link>
                    </td>
                    <td>
                      <Foreign text={group.label.slice(0, 200)} />
                    </td>
                    <td className="end">{plural(group.repositories, 'repository', 'repositories')}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )
        }}
      </Part>
    </Card>
  )
}

function Decisions({ ecosystem, name }: { ecosystem: string; name: string }) {
  const overrides = usePages('listOverrides', { query: { pageSize: 100 } })
  const exposures = usePages('listExposures', { query: { pageSize: 100 } })
  useReadOn(overrides)
  useReadOn(exposures)
  const mine = (each: { ecosystem: string; name: string }) => each.ecosystem === ecosystem && each.name === name
  const own: Answer<'listOverrides'>['overrides'] =
    overrides.data?.pages.flatMap((page) => page.overrides).filter(mine) ?? []
  const given = exposures.data?.pages.flatMap((page) => page.exposures).filter(mine) ?? []
  return (
    <div className="cards">
      <Card title="Allowed or denied by people">
        {own.length === 0 && <p className="muted">Nobody decided about it.</p>}
        {own.map((override) => (
          <div key={override.id} className="row">
            <Tag tone={override.effect === 'allow' ? 'ok' : 'bad'}>{override.effect}</Tag>
            <span className="mono">{plainly(override.version || 'every version')}</span>
            <Foreign text={override.reason} clamp={200} />
            {override.expiresAt && (
              <span className="muted small">
                until <Ago at={override.expiresAt} />
              </span>
            )}
          </div>
        ))}
      </Card>
      <Card title="Given to clients before it was known to be malicious">
        {given.length === 0 && <p className="muted">To nobody.</p>}
        {given.map((each) => (
          <div key={each.id} className="row">
            <span className="mono">{plainly(each.version)}</span> person {each.personId} <Ago at={each.fetchedAt} />
          </div>
        ))}
      </Card>
    </div>
  )
}
