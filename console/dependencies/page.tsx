import { type FormEvent, useState } from 'react'
import type { Dependency } from '../../src/capabilities/dependencies/contract.ts'
import { useAsk, usePages, useReadOn } from '../api/ask.ts'
import type { Body } from '../api/contracts.ts'
import { formatSearch, pathPart } from '../app/address.ts'
import { usePathTo } from '../app/deployment.ts'
import { goSearch, usePlace } from '../app/location.ts'
import { Button } from '../ui/button.tsx'
import { Check, Input, Select, Textarea } from '../ui/field.tsx'
import { Foreign } from '../ui/foreign.tsx'
import { plainly } from '../ui/foreign-text.ts'
import type { Column } from '../ui/grid.tsx'
import { Link } from '../ui/link.tsx'
import { useTitle } from '../ui/page.tsx'
import { PagedList } from '../ui/paged-list.tsx'
import { Empty } from '../ui/states.tsx'
import { label } from '../ui/words.ts'
import { Paths } from './paths.tsx'
import {
  answerSentence,
  dependencyFilter,
  ecosystems,
  isAsked,
  type Question,
  readQuestion,
  subject,
  writeQuestion,
} from './question.ts'

type Filter = NonNullable<Body<'listDependencies'>['dependencyFilter']>

export default function DependenciesPage() {
  useTitle('Dependencies')
  const { pairs } = usePlace()
  const question = readQuestion(pairs)
  const asked = isAsked(question)
  return (
    <>
      <header className="list-head">
        <h1 tabIndex={-1}>Dependencies</h1>
        <QuestionForm question={question} key={formatSearch(pairs)} />
      </header>
      {asked ? (
        <Answered question={question} />
      ) : (
        <Empty title="Which repositories have this?">
          <p>
            Name a package, and from or below which version. The answer covers the inventory of every repository you
            see.
          </p>
        </Empty>
      )}
    </>
  )
}

function QuestionForm({ question }: { question: Question }) {
  const [several, setSeveral] = useState(question.packages.length > 0)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    const packages = text('packages')
      .split(/[\s,]+/)
      .filter(Boolean)
      .slice(0, 200)
    const next: Question = {
      ...question,
      ecosystem: text('ecosystem'),
      name: text('name'),
      exact: form.get('exact') === 'on' || !text('name'),
      from: text('from'),
      below: text('below'),
      transitivity: text('brought'),
      archived: form.get('archived') === 'on',
      packages,
    }
    goSearch(writeQuestion(next))
  }
  return (
    <form className="row" onSubmit={submit}>
      <Select
        label="Ecosystem"
        name="ecosystem"
        defaultValue={question.ecosystem}
        choices={[{ value: '', label: 'any' }, ...ecosystems]}
      />
      <Input
        label="Package"
        name="name"
        defaultValue={question.name}
        className="mono"
        placeholder="lodash"
        maxLength={400}
      />
      <Input
        label="From version"
        name="from"
        defaultValue={question.from}
        className="mono short"
        placeholder="any"
        maxLength={100}
      />
      <Input
        label="Below version"
        name="below"
        defaultValue={question.below}
        className="mono short"
        placeholder="any"
        maxLength={100}
      />
      <Select
        label="Brought in"
        name="brought"
        defaultValue={question.transitivity}
        choices={[
          { value: '', label: 'either way' },
          { value: 'direct', label: 'directly' },
          { value: 'transitive', label: 'transitively' },
          { value: 'unknown', label: 'not told' },
        ]}
      />
      <span className="stack tight">
        <Check label="exactly this name" name="exact" defaultChecked={question.exact} />
        <Check label="archived too" name="archived" defaultChecked={question.archived} />
      </span>
      {several && (
        <Textarea
          label="Several, one a line"
          name="packages"
          defaultValue={question.packages.join('\n')}
          placeholder="lodash@4.17.20"
          rows={2}
        />
      )}
      <Button type="submit" look="primary">
        Find
      </Button>
      {!several && (
        <Button look="plain" onClick={() => setSeveral(true)}>
          Several packages…
        </Button>
      )}
    </form>
  )
}

function Answered({ question }: { question: Question }) {
  const filter = dependencyFilter(question) as Filter
  const pages = usePages('listDependencies', { body: { dependencyFilter: filter, pageSize: 100 } }, { where: 'body' })
  const repositories = usePages(
    'listRepositoriesWithDependencies',
    { body: { dependencyFilter: filter, pageSize: 100 } },
    { where: 'body' },
  )
  const direct = usePages(
    'listRepositoriesWithDependencies',
    { body: { dependencyFilter: { ...filter, transitivity: ['DIRECT'] }, pageSize: 100 } },
    { where: 'body' },
  )
  const [open, setOpen] = useState<Dependency>()
  const rows = pages.data?.pages.flatMap((page) => page.dependencies) ?? []
  const hit = repositories.data?.pages.flatMap((page) => page.repositorySummaries) ?? []
  const dependencies = hit.reduce((sum, each) => sum + each.numDependencies, 0)
  const more = repositories.hasNextPage || direct.hasNextPage
  const known = repositories.isSuccess && direct.isSuccess
  useReadOn(repositories, hit.length < 2_000)
  useReadOn(direct, hit.length < 2_000)
  const tally = {
    repositories: hit.length,
    direct: direct.data?.pages.flatMap((page) => page.repositorySummaries).length ?? 0,
    dependencies,
    more,
  }
  return (
    <>
      {known && hit.length > 0 && (
        <p className="list-head" role="status">
          <strong>
            <Foreign text={answerSentence(question, tally)} />
          </strong>
          {question.name && question.exact && question.ecosystem && <PackageLink question={question} />}
        </p>
      )}
      <PagedList
        label="Dependencies"
        pages={pages}
        rows={rows}
        columns={columns(setOpen)}
        total={more ? undefined : Math.max(dependencies, rows.length)}
        keyOf={(row) =>
          `${row.repositoryId} ${row.lockfilePath} ${row.ecosystem} ${row.name} ${row.version} ${row.line}`
        }
        empty={<Nobody question={question} />}
      />
      {open && <Paths dependency={open} onClose={() => setOpen(undefined)} />}
    </>
  )
}

function PackageLink({ question }: { question: Question }) {
  const to = usePathTo()
  return (
    <span>
      {' '}
      <Link to={to(`packages/${pathPart(question.ecosystem)}/${question.name.split('/').map(pathPart).join('/')}`)}>
        Everything about {plainly(question.name)}
      </Link>
    </span>
  )
}

/** So that "no" can be believed: how much was looked at. */
function Nobody({ question }: { question: Question }) {
  const all = useAsk('listRepositories', { query: { pageSize: 100 } })
  const inventory = usePages('listRepositoriesWithDependencies', { body: { pageSize: 100 } }, { where: 'body' })
  const looked = inventory.data?.pages.flatMap((page) => page.repositorySummaries) ?? []
  const dependencies = looked.reduce((sum, each) => sum + each.numDependencies, 0)
  const more = inventory.hasNextPage ? 'at least ' : ''
  return (
    <Empty title={plainly(`No repository has ${subject(question)}`)}>
      <p>
        {more}
        {looked.length.toLocaleString('en')} repositories with {dependencies.toLocaleString('en')} dependencies were
        looked at
        {all.data &&
          !all.data.hasMore &&
          !inventory.hasNextPage &&
          all.data.repositories.length > looked.length &&
          `; ${all.data.repositories.length - looked.length} have no inventory yet`}
        .
      </p>
    </Empty>
  )
}

function columns(onPath: (row: Dependency) => void): Column<Dependency>[] {
  return [
    { id: 'package', label: 'Package', width: 'minmax(140px, 2fr)', cell: (row) => <PackageCell row={row} /> },
    {
      id: 'version',
      label: 'Version',
      width: 'minmax(80px, 1fr)',
      cell: (row) => <bdi className="mono">{plainly(row.version)}</bdi>,
    },
    { id: 'ecosystem', label: 'Ecosystem', width: '84px', from: 900, cell: (row) => row.ecosystem },
    {
      id: 'brought',
      label: 'Brought in',
      width: '110px',
      from: 620,
      cell: (row) => (
        <button type="button" className="link" onClick={() => onPath(row)} tabIndex={-1}>
          {row.transitivity === 'DIRECT'
            ? 'Directly'
            : row.transitivity === 'TRANSITIVE'
              ? 'Transitively'
              : label('not told')}
        </button>
      ),
    },
    {
      id: 'licence',
      label: 'Licence',
      width: 'minmax(70px, 1fr)',
      from: 780,
      cell: (row) => <bdi>{plainly(row.license)}</bdi>,
    },
    { id: 'repository', label: 'Repository', width: 'minmax(120px, 2fr)', cell: (row) => <RepositoryCell row={row} /> },
    {
      id: 'file',
      label: 'File',
      width: 'minmax(110px, 2fr)',
      from: 1000,
      cell: (row) => (
        <bdi className="mono muted">{plainly(row.lockfilePath) + (row.line > 0 ? `:${row.line}` : '')}</bdi>
      ),
    },
  ]
}

function PackageCell({ row }: { row: Dependency }) {
  const to = usePathTo()
  return (
    <Link to={to(`packages/${pathPart(row.ecosystem)}/${row.name.split('/').map(pathPart).join('/')}`)} tabIndex={-1}>
      <bdi className="mono">{plainly(row.name)}</bdi>
    </Link>
  )
}

function RepositoryCell({ row }: { row: Dependency }) {
  const to = usePathTo()
  return (
    <Link to={to(`repositories/${row.repositoryId}`)} tabIndex={-1}>
      <bdi>{plainly(row.repositoryName)}</bdi>
    </Link>
  )
}
