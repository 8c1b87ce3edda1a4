import type { AdvisoryRecord, VulnerableRepository } from '../../src/capabilities/vulnerabilities/contract.ts'
import { useAsk, usePages } from '../api/ask.ts'
import { formatSearch, type Pair, pathPart } from '../app/address/address.ts'
import { usePathTo } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Link } from '../ui/link.tsx'
import { Table } from '../ui/lists/table.tsx'
import { Card, Page, PageHead } from '../ui/page.tsx'
import { Empty, Part } from '../ui/states.tsx'
import { Foreign, ForeignLink } from '../ui/text/foreign.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import { Ago, Severity, Tag } from '../ui/text/marks.tsx'
import { Prose } from '../ui/text/prose.tsx'
import { plural } from '../ui/text/words.ts'
import { Exploitation } from './exploitation.tsx'
import { rangeSentences } from './ranges.ts'

/** What the list of vulnerabilities counts: what is open on a branch. */
const open = ['open', 'reopened', 'reviewing', 'fixing']

export default function VulnerabilityPage({ params }: { params: Record<string, string> }) {
  const to = usePathTo()
  const vulnerabilityId = params.id ?? ''
  const asked = useAsk('getVulnerability', { params: { vulnerabilityId } }, { keep: false })
  return (
    <Page>
      <PageHead title={plainly(vulnerabilityId)} back={{ to: to('vulnerabilities'), label: 'Vulnerabilities' }}>
        <Link
          className="button"
          to={to(
            `findings${formatSearch([
              ...open.map((state): Pair => ['state', state]),
              ['prs', 'none'],
              ['vuln', vulnerabilityId],
            ])}`,
          )}
        >
          Its findings
        </Link>
      </PageHead>
      {asked.error?.status === 404 ? (
        <Unknown id={vulnerabilityId} />
      ) : (
        <Part of={asked} lines={6}>
          {({ vulnerability }) => (
            <>
              <p className="muted">
                Also known as{' '}
                <Foreign
                  text={vulnerability.ids.filter((id) => id !== vulnerabilityId).join(', ') || 'nothing else'}
                  mono
                />
              </p>
              <Exploitation {...vulnerability} />
              <Hit vulnerabilityId={vulnerabilityId} />
              {vulnerability.records.map((record) => (
                <Record key={record.id} record={record} />
              ))}
            </>
          )}
        </Part>
      )}
    </Page>
  )
}

function Hit({ vulnerabilityId }: { vulnerabilityId: string }) {
  const pages = usePages('listVulnerableRepositories', { params: { vulnerabilityId }, query: { pageSize: 50 } })
  const rows = pages.data?.pages.flatMap((page) => page.repositories) ?? []
  const hit = rows.filter((row) => !row.ignored)
  const ignored = rows.filter((row) => row.ignored)
  const counted = (some: readonly VulnerableRepository[]) =>
    `${plural(some.length, 'repository', 'repositories')}${pages.hasNextPage ? ' and more' : ''}`
  return (
    <>
      <Card title={pages.data ? `${counted(hit)} hit` : 'Repositories'}>
        <Part of={pages}>
          {() =>
            hit.length === 0 ? (
              <p className="muted">
                {ignored.length === 0
                  ? 'No repository that you see has an affected version now.'
                  : 'Every repository that you see and that has an affected version ignores it.'}
              </p>
            ) : (
              <Repositories label="Repositories hit" rows={hit} />
            )
          }
        </Part>
        {pages.hasNextPage && <Button onClick={() => void pages.fetchNextPage()}>More</Button>}
      </Card>
      {ignored.length > 0 && (
        <Card title={`Ignored in ${counted(ignored)}`}>
          <p className="muted">They have an affected version, and all their findings are ignored or marked as fixed.</p>
          <Repositories label="Repositories that ignore it" rows={ignored} />
        </Card>
      )}
    </>
  )
}

function Repositories({ label, rows }: { label: string; rows: VulnerableRepository[] }) {
  const to = usePathTo()
  return (
    <Table
      label={label}
      rows={rows}
      keyOf={(row) => row.repositoryId}
      columns={[
        {
          label: 'Repository',
          cell: (row) => (
            <Link to={to(`repositories/${row.repositoryId}`)}>
              <Foreign text={row.repository} />
            </Link>
          ),
        },
        {
          label: 'Versions',
          cell: (row) => (
            <Foreign
              text={[...new Set(row.dependencies.map((each) => `${each.name}@${each.version}`))].slice(0, 6).join(', ')}
              mono
            />
          ),
        },
        {
          label: 'Where',
          cell: (row) => (
            <>
              <Foreign
                text={row.dependencies
                  .slice(0, 3)
                  .map((each) => `${each.lockfilePath}${each.line > 0 ? `:${each.line}` : ''}`)
                  .join(', ')}
                mono
              />
              {row.dependencyCount > 3 && ` and ${row.dependencyCount - 3} more`}
            </>
          ),
        },
      ]}
    />
  )
}

function Record({ record }: { record: AdvisoryRecord }) {
  const to = usePathTo()
  return (
    <Card title={plainly(record.id)} aside={<Ago at={record.publishedAt} />}>
      <div className="row">
        <Severity level={record.severity} />
        {record.cvssScore > 0 && <Tag>{`CVSS ${record.cvssScore}`}</Tag>}
        {record.withdrawnAt && <Tag tone="warn">Withdrawn</Tag>}
        {!record.listed && <Tag>No longer in its feed</Tag>}
        <Foreign text={record.cwes.join(', ')} />
      </div>
      {record.summary && (
        <p className="strong">
          <Foreign text={record.summary} />
        </p>
      )}
      <table className="table">
        <thead>
          <tr>
            <th scope="col">Package</th>
            <th scope="col">Affected</th>
          </tr>
        </thead>
        <tbody>
          {record.affected.slice(0, 50).map((each) => (
            <tr key={`${each.ecosystem} ${each.name}`}>
              <td>
                <Link to={to(`packages/${pathPart(each.ecosystem)}/${each.name.split('/').map(pathPart).join('/')}`)}>
                  <Foreign text={each.name} mono />
                </Link>{' '}
                <span className="muted">{each.ecosystem}</span>
              </td>
              <td>
                <Foreign
                  text={[
                    ...each.ranges
                      .filter((range) => range.type !== 'GIT')
                      .flatMap((range) => rangeSentences(range.events)),
                    ...each.versions.slice(0, 10),
                  ].join('; ')}
                />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {record.details && <Prose text={record.details} />}
      {record.links.length > 0 && (
        <ul className="stack tight small">
          {record.links.slice(0, 20).map((link) => (
            <li key={link}>
              <ForeignLink address={link} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

function Unknown({ id }: { id: string }) {
  const feeds = useAsk('getVulnerabilityFeeds', {})
  return (
    <Empty title={plainly(`Nothing is known about ${id}`)}>
      <p>
        {feeds.data && feeds.data.feeds.length > 0
          ? `${plural(feeds.data.feeds.length, 'feed')} of advisories ${feeds.data.feeds.length === 1 ? 'was' : 'were'} asked. `
          : ''}
        {feeds.data?.advice}
      </p>
    </Empty>
  )
}
