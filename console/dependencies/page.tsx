import { useAsk } from '../api/ask.ts'
import { call } from '../api/call.ts'
import { formatSearch } from '../app/address/address.ts'
import { usePlace } from '../app/address/location.ts'
import { useDeployment, usePathTo } from '../app/deployment.ts'
import { NothingYet } from '../scans/nothing-yet.tsx'
import { Link } from '../ui/link.tsx'
import { ExportMenu } from '../ui/lists/export-menu.tsx'
import { Tabs, useTitle } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import { Ago } from '../ui/text/marks.tsx'
import { plural } from '../ui/text/words.ts'
import { AskedParts } from './asked-parts.tsx'
import type { Counts, ListProps } from './list-props.ts'
import { Occurrences } from './occurrences.tsx'
import { PackageList } from './package-list.tsx'
import { packagePath } from './package-path.ts'
import {
  answerSentence,
  dependencyFilter,
  isOnePackage,
  noneSentence,
  type Question,
  readQuestion,
  repositoryOf,
  viewOf,
  views,
  viewsOf,
  writeQuestion,
} from './question.ts'
import { QuestionForm } from './question-form.tsx'
import { RepositoryList } from './repository-list.tsx'
import { VersionView } from './version-view.tsx'

const lists = { packages: PackageList, repositories: RepositoryList, versions: VersionView, occurrences: Occurrences }

export default function DependenciesPage() {
  useTitle('Dependencies')
  const to = usePathTo()
  const { id: deploymentId } = useDeployment()
  const { pairs } = usePlace()
  const question = readQuestion(pairs)
  const filter = dependencyFilter(question) as ListProps['filter']
  const counts = useAsk('countDependencies', { body: { dependencyFilter: filter } })
  const repository = useRepositoryName(question)
  const List = lists[viewOf(question)]
  const own = counts.isPlaceholderData ? undefined : counts.data
  return (
    <>
      <header className="list-head">
        <div className="row">
          <h1 tabIndex={-1}>Dependencies</h1>
          <span className="push row tight">
            <Link to={to('dependencies/watched')} className="small">
              Watched packages
            </Link>
            {!question.vulnerable && (
              <ExportMenu
                name="dependencies"
                formats={['csv', 'json']}
                prepare={(format) =>
                  call('prepareDependencyExport', {
                    params: { deploymentId },
                    body: { format, dependencyFilter: filter },
                  })
                }
              />
            )}
          </span>
        </div>
        <QuestionForm question={question} problem={counts.error} key={formatSearch(pairs)} />
        <AskedParts question={question} repository={repository} />
        {own && own.repositoryCount > 0 && !question.vulnerable && (
          <p role="status">
            <strong>
              <Foreign text={answerSentence(question, tallyOf(own), repository)} />
            </strong>
            {isOnePackage(question) && <PackageLink question={question} />}
          </p>
        )}
        {question.vulnerable && (
          <p className="muted small">
            Packages with a version in use that advisories name. <Link to={to('vulnerabilities')}>Vulnerabilities</Link>{' '}
            say which repositories have it.
          </p>
        )}
        <Views question={question} counts={own} />
      </header>
      <List
        question={question}
        filter={filter}
        counts={own?.atLeast ? undefined : own}
        empty={<Nobody question={question} counts={own} repository={repository} />}
      />
    </>
  )
}

/** By its id until its name is known; nothing where all repositories were asked for. */
function useRepositoryName(question: Question): string | undefined {
  const repositoryId = repositoryOf(question)
  const { data } = useAsk(
    'getRepository',
    { params: { repositoryId: repositoryId ?? 0 } },
    { enabled: repositoryId !== undefined, keep: false },
  )
  if (repositoryId === undefined) return undefined
  return data?.repository.name ?? `Repository ${repositoryId}`
}

function tallyOf(counts: Counts) {
  return {
    repositories: counts.repositoryCount,
    direct: counts.directRepositoryCount,
    packages: counts.packageCount,
    dependencies: counts.dependencyCount,
    atLeast: counts.atLeast,
  }
}

function Views({ question, counts }: { question: Question; counts: Counts | undefined }) {
  const to = usePathTo()
  const exact = counts?.atLeast ? undefined : counts
  const count = {
    packages: question.vulnerable ? undefined : exact?.packageCount,
    repositories: exact?.repositoryCount,
    versions: undefined,
    occurrences: exact?.dependencyCount,
  }
  const tabs = viewsOf(question).map((view) => ({
    to: to(`dependencies${formatSearch(writeQuestion({ ...question, view }))}`),
    label: views[view],
    count: count[view],
    current: view === viewOf(question),
  }))
  return <Tabs label="Views" tabs={tabs} />
}

function PackageLink({ question }: { question: Question }) {
  const to = usePathTo()
  return (
    <span>
      {' '}
      <Link to={to(packagePath(question))}>Everything about {plainly(question.name)}</Link>
    </span>
  )
}

type NobodyProps = { question: Question; counts: Counts | undefined; repository: string | undefined }

/** So that "no" can be believed: how much was looked at. */
function Nobody({ question, counts, repository }: NobodyProps) {
  const searched = counts?.searched
  if (searched?.dependencyCount === 0) {
    return <NothingYet title="No dependencies yet" about="They come with lockfiles and bills of materials." />
  }
  return (
    <Empty title={plainly(noneSentence(question, repository))}>
      {searched && (
        <p>
          {plural(searched.repositoryCount, 'repository', 'repositories')} with{' '}
          {plural(searched.dependencyCount, 'dependency', 'dependencies')} were looked at
          {searched.withoutInventory > 0 && `; ${searched.withoutInventory} have no inventory yet`}
          {searched.oldestInventoryAt && (
            <>
              ; the oldest inventory is from <Ago at={searched.oldestInventoryAt} />
            </>
          )}
          .
        </p>
      )}
    </Empty>
  )
}
