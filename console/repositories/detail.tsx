import type { Repository } from '../../src/capabilities/repositories/contract.ts'
import { useAsk, useTagged } from '../api/ask.ts'
import { formatSearch } from '../app/address/address.ts'
import { usePathTo } from '../app/deployment.ts'
import { Link } from '../ui/link.tsx'
import { Page, PageHead, Tabs } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import { Ago, Tag } from '../ui/text/marks.tsx'
import { plural } from '../ui/text/words.ts'
import { DependenciesTab } from './dependencies-tab.tsx'
import { FindingsTab } from './findings-tab.tsx'
import { PullRequestsTab } from './pull-requests-tab.tsx'
import { ScansTab } from './scans-tab.tsx'
import { SettingsTab } from './settings-tab.tsx'

const tabs = {
  findings: 'Findings',
  dependencies: 'Dependencies',
  'pull-requests': 'Pull requests',
  scans: 'Scans',
  settings: 'Settings',
}
type TabName = keyof typeof tabs

export default function RepositoryPage({ params }: { params: Record<string, string> }) {
  const repositoryId = Number(params.id)
  const asked = useTagged('getRepository', { params: { repositoryId } })
  return (
    <Page>
      <Part of={asked} lines={4}>
        {({ data, etag }) => (
          <RepositoryView
            repository={data.repository}
            etag={etag}
            tab={(params.tab as TabName | undefined) ?? 'findings'}
          />
        )}
      </Part>
    </Page>
  )
}

function RepositoryView({ repository, etag, tab }: { repository: Repository; etag: string | undefined; tab: TabName }) {
  const to = usePathTo()
  const base = `repositories/${repository.id}`
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
      <Figures repository={repository} />
      <Tabs
        label="Parts of the repository"
        tabs={(Object.keys(tabs) as TabName[]).map((name) => ({
          to: to(name === 'findings' ? base : `${base}/${name}`),
          label: tabs[name],
          current: name === tab,
        }))}
      />
      {tab === 'findings' && <FindingsTab repository={repository.name} />}
      {tab === 'dependencies' && <DependenciesTab repository={repository} />}
      {tab === 'pull-requests' && <PullRequestsTab repositoryId={repository.id} repository={repository.name} />}
      {tab === 'scans' && <ScansTab repositoryId={repository.id} />}
      {tab === 'settings' && <SettingsTab repository={repository} etag={etag} />}
    </>
  )
}

function Figures({ repository }: { repository: Repository }) {
  const to = usePathTo()
  const open = {
    repositories: [repository.name],
    triageStates: ['OPEN', 'REOPENED', 'REVIEWING', 'FIXING'].map((state) => `TRIAGE_STATE_${state}`),
  }
  const counts = useAsk('countFindings', { body: { filter: open } })
  const files = useAsk('listLockfiles', { params: { repositoryId: repository.id } })
  const scans = useAsk('listScans', { query: { repositoryId: repository.id, pageSize: 1 } })
  const [last] = scans.data?.scans ?? []
  const dependencies = files.data?.lockfiles.reduce((sum, file) => sum + file.dependencyCount, 0)
  const severities = counts.data?.bySeverity as Record<string, number> | undefined
  const grave = (severities?.SEVERITY_CRITICAL ?? 0) + (severities?.SEVERITY_HIGH ?? 0)
  return (
    <div className="cards small">
      <Link className="stat" to={to(`findings${formatSearch([['repo', repository.name]])}`)}>
        <span className="figure">{counts.data?.total.toLocaleString('en') ?? '…'}</span>
        <span className="means">open findings</span>
      </Link>
      <Link
        className={grave > 0 ? 'stat bad' : 'stat'}
        to={to(
          `findings${formatSearch([
            ['sev', 'critical'],
            ['sev', 'high'],
            ['repo', repository.name],
          ])}`,
        )}
      >
        <span className="figure">{counts.data ? grave.toLocaleString('en') : '…'}</span>
        <span className="means">of them critical or high</span>
      </Link>
      <Link className="stat" to={to(`repositories/${repository.id}/dependencies`)}>
        <span className="figure">{dependencies?.toLocaleString('en') ?? '…'}</span>
        <span className="means">
          {files.data ? `dependencies in ${plural(files.data.lockfiles.length, 'file')}` : 'dependencies'}
        </span>
      </Link>
      <div className="stat">
        <span className="figure">{last ? <Ago at={last.performedAt} /> : scans.data ? 'never' : '…'}</span>
        <span className="means">{last ? <Link to={to(`scans/${last.id}`)}>last scan</Link> : 'scanned'}</span>
      </div>
    </div>
  )
}
