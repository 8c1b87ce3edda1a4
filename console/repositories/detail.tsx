import type { Repository } from '../../src/capabilities/repositories/contract.ts'
import { useAsk, useTagged } from '../api/ask.ts'
import type { Answer } from '../api/contracts.ts'
import { formatSearch } from '../app/address/address.ts'
import { usePathTo } from '../app/deployment.ts'
import { NotFound } from '../app/frame/not-found.tsx'
import { onBranches } from '../findings/filter.ts'
import { stillBlocked } from '../scans/pull-request-filter.tsx'
import { Link } from '../ui/link.tsx'
import { Page, PageHead, Tabs } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import { Ago, Tag } from '../ui/text/marks.tsx'
import { noun } from '../ui/text/words.ts'
import { BranchesTab } from './branches-tab.tsx'
import { DependenciesTab } from './dependencies-tab.tsx'
import { FindingsTab } from './findings-tab.tsx'
import { PerhapsNotVisible } from './not-visible.tsx'
import { PullRequestsTab } from './pull-requests-tab.tsx'
import { ScansTab } from './scans-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'

const tabs = {
  findings: 'Findings',
  dependencies: 'Dependencies',
  branches: 'Branches',
  'pull-requests': 'Pull requests',
  scans: 'Scans',
  settings: 'Settings',
}
type TabName = keyof typeof tabs

export default function RepositoryPage({ params: { id, tab = 'findings' } }: { params: Record<string, string> }) {
  return Object.hasOwn(tabs, tab) ? <OneRepository repositoryId={Number(id)} tab={tab as TabName} /> : <NotFound />
}

function OneRepository({ repositoryId, tab }: { repositoryId: number; tab: TabName }) {
  const asked = useTagged('getRepository', { params: { repositoryId } })
  const to = usePathTo()
  return (
    <Page>
      {!asked.data && (
        <PageHead title={`Repository ${repositoryId}`} back={{ to: to('repositories'), label: 'Repositories' }} />
      )}
      <Part of={asked} lines={4} missing={<PerhapsNotVisible />}>
        {({ data, etag }) => <RepositoryView repository={data.repository} etag={etag} tab={tab} />}
      </Part>
    </Page>
  )
}

function RepositoryView({ repository, etag, tab }: { repository: Repository; etag: string | undefined; tab: TabName }) {
  const to = usePathTo()
  const base = `repositories/${repository.id}`
  const asked = useAsk('searchRepositories', { body: { filter: { ids: [repository.id] } } })
  const row = asked.data?.repositories.find(({ id }) => id === repository.id)
  const badges: Partial<Record<TabName, number | undefined>> = {
    findings: row?.open,
    dependencies: row?.dependencies,
  }
  return (
    <>
      <PageHead
        title={plainly(repository.name)}
        back={{ to: to('repositories'), label: 'Repositories' }}
        about={
          <span className="row tight">
            {repository.publiclyExposed && <Tag tone="warn">Exposed to the internet</Tag>}
            {repository.archived && <Tag>Archived</Tag>}
            {repository.tags.map((tag) => (
              <Link key={tag} to={to(`repositories${formatSearch([['tag', tag]])}`)} className="tag">
                {plainly(tag)}
              </Link>
            ))}
          </span>
        }
      />
      <Figures row={row} id={repository.id} />
      <Tabs
        label="Parts of the repository"
        tabs={(Object.keys(tabs) as TabName[]).map((name) => ({
          to: to(name === 'findings' ? base : `${base}/${name}`),
          label: tabs[name],
          count: badges[name],
          current: name === tab,
        }))}
      />
      {tab === 'findings' && <FindingsTab repository={repository.name} />}
      {tab === 'dependencies' && <DependenciesTab repository={repository} />}
      {tab === 'branches' && <BranchesTab repositoryId={repository.id} repository={repository.name} />}
      {tab === 'pull-requests' && <PullRequestsTab repositoryId={repository.id} repository={repository.name} />}
      {tab === 'scans' && <ScansTab repositoryId={repository.id} />}
      {tab === 'settings' && <SettingsTab key={repository.id} repository={repository} etag={etag} />}
    </>
  )
}

type Row = Answer<'searchRepositories'>['repositories'][number]

function Figures({ row, id }: { row: Row | undefined; id: number }) {
  const to = usePathTo()
  if (!row) return null
  const grave = row.openBySeverity.SEVERITY_CRITICAL + row.openBySeverity.SEVERITY_HIGH
  return (
    <div className="cards small">
      <Figure
        value={row.open}
        means={noun(row.open, 'open finding')}
        to={to(`findings${formatSearch([['repo', row.name], ...onBranches])}`)}
      />
      <Figure
        value={grave}
        bad
        means="of them critical or high"
        to={to(`findings${formatSearch([['sev', 'critical'], ['sev', 'high'], ['repo', row.name], ...onBranches])}`)}
      />
      <Figure
        value={row.blockedPullRequests}
        bad
        means={noun(row.blockedPullRequests, 'blocked pull request')}
        to={to(`repositories/${id}/pull-requests${formatSearch(stillBlocked)}`)}
      />
      <Figure
        value={row.dependencies}
        means={noun(row.dependencies, 'dependency', 'dependencies')}
        to={to(`repositories/${id}/dependencies`)}
      />
      <div className="stat">
        <span className="figure">{row.lastScan ? <Ago at={row.lastScan.at} /> : 'never'}</span>
        <span className="means">
          {row.lastScan ? <Link to={to(`scans/${row.lastScan.id}`)}>last scan</Link> : 'scanned'}
        </span>
      </div>
    </div>
  )
}

function Figure({ value, means, to, bad }: { value: number; means: string; to: string; bad?: boolean }) {
  return (
    <Link className={bad && value > 0 ? 'stat bad' : 'stat'} to={to}>
      <span className="figure">{value.toLocaleString('en')}</span>
      <span className="means">{means}</span>
    </Link>
  )
}
