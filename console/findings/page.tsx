import { nextPage, useAsk, usePages } from '../api/ask.ts'
import type { Body } from '../api/contracts.ts'
import { firstOf, formatSearch, pathPart, withValues } from '../app/address.ts'
import { useDeployment, usePathTo } from '../app/deployment.ts'
import { readFilter } from '../app/filter.ts'
import { useKeys } from '../app/keys.ts'
import { go, goSearch, usePlace } from '../app/location.ts'
import { FilterBar } from '../ui/filter-bar.tsx'
import { Grid, type GridSort } from '../ui/grid.tsx'
import { useTitle } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Split } from '../ui/split.tsx'
import { ErrorBox, Forbidden } from '../ui/states.tsx'
import { plural } from '../ui/words.ts'
import { BulkBar } from './bulk-bar.tsx'
import { findingColumns } from './columns.tsx'
import { NothingFound } from './empty.tsx'
import { ExportMenu, exportFindings } from './export.tsx'
import { findingFacets } from './facets.tsx'
import { findingFields, reserved } from './filter.ts'
import { IgnoreDialog } from './ignore-dialog.tsx'
import { FindingPanel } from './panel.tsx'
import { useDeciding } from './use-deciding.ts'
import { useTriage } from './use-triage.ts'
import { Views } from './views.tsx'

export type FindingFilter = NonNullable<Body<'searchFindings'>['filter']>

function sortOf(text: string | undefined): GridSort {
  const [by, direction] = (text ?? '').split('-')
  return { by: by === 'raised' ? 'raisedAt' : 'severity', direction: direction === 'asc' ? 'asc' : 'desc' }
}

function sortWord({ by, direction }: GridSort): string[] {
  const word = `${by === 'raisedAt' ? 'raised' : 'severity'}${direction === 'asc' ? '-asc' : ''}`
  return word === 'severity' ? [] : [word]
}

export default function FindingsPage({ params }: { params: Record<string, string> }) {
  useTitle('Findings')
  const to = usePathTo()
  const { id: deploymentId } = useDeployment()
  const { pairs, key } = usePlace()
  const { filter, lost } = readFilter(findingFields, pairs, reserved)
  const sort = sortOf(firstOf(pairs, 'sort'))
  const wire = filter as FindingFilter
  const pages = usePages(
    'searchFindings',
    { body: { filter: wire, sort: sort as NonNullable<Body<'searchFindings'>['sort']>, pageSize: 100 } },
    { where: 'body' },
  )
  const counts = useAsk('countFindings', { body: { filter: wire } })
  const rows = pages.data?.pages.flatMap((page) => page.findings) ?? []
  const total = Math.max(counts.data?.total ?? 0, pages.hasNextPage ? rows.length + 1 : rows.length)
  const open = (id?: string) =>
    go(to(id ? `findings/${pathPart(id)}` : 'findings') + formatSearch(pairs), { replace: Boolean(params.id) })
  const deciding = useDeciding({
    rows,
    filter: wire,
    permission: 'findings:triage',
    triage: useTriage(),
    ticketOf: (findingIds) => ({ findingIds }),
    isOpen: Boolean(params.id),
    close: () => open(),
  })
  const { selected, whole, ignoring, decide, ignore, makeTicket } = deciding
  useKeys({ e: () => void exportFindings(deploymentId, wire, 'csv') })
  const failed = pages.error && rows.length === 0 ? pages.error : undefined
  const list = (
    <>
      {(pages.isFetching || counts.isFetching) && <div className="busy-line" />}
      {failed &&
        (failed.status === 403 ? (
          <Forbidden problem={failed} />
        ) : (
          <div className="page">
            <ErrorBox problem={failed} retry={() => void pages.refetch()} />
          </div>
        ))}
      {!failed && pages.data && rows.length === 0 && <NothingFound filter={filter} pairs={pairs} />}
      {pages.error && rows.length > 0 && <ErrorBox problem={pages.error} retry={() => void pages.fetchNextPage()} />}
      {!failed && rows.length > 0 && (
        <Grid
          label="Findings"
          rows={rows}
          total={total}
          columns={findingColumns}
          keyOf={(row) => row.id}
          openKey={params.id}
          onOpen={(row) => open(row.id)}
          {...deciding.grid}
          sort={sort}
          onSort={(next) => goSearch(withValues(pairs, 'sort', sortWord(next)))}
          onMore={nextPage(pages)}
          scrollKey={key}
        />
      )}
      {selected.size > 0 && (
        <BulkBar
          count={whole ? total : selected.size}
          total={total}
          // Not where a part of the address was not understood: the filter is then wider than whoever wrote it meant.
          loaded={selected.size === rows.length && lost.length === 0}
          {...deciding.bulk}
        />
      )}
    </>
  )
  return (
    <>
      <header className="list-head">
        <div className="row">
          <h1 tabIndex={-1}>
            Findings <span className="total">{counts.data?.total.toLocaleString('en') ?? ''}</span>
          </h1>
          <Views />
          <span className="push row tight">
            <SearchField label="Search titles and messages" name="text" pairs={pairs} />
            <ExportMenu filter={wire} />
          </span>
        </div>
        <FilterBar
          fields={findingFields.filter((field) => field.key !== 'text')}
          pairs={pairs}
          lost={lost}
          facet={findingFacets(filter)}
        />
        <span className="visually-hidden" role="status">
          {counts.data && plural(counts.data.total, 'finding')}
        </span>
      </header>
      <Split
        label="Finding"
        list={list}
        panel={
          params.id && (
            <FindingPanel
              key={params.id}
              id={params.id}
              onDecide={decide}
              onIgnore={ignore}
              onTicket={makeTicket}
              onClose={() => open()}
            />
          )
        }
      />
      {ignoring && (
        <IgnoreDialog
          count={ignoring.whole ? total : ignoring.rows.length}
          onDecide={(decision) => decide(ignoring.rows, decision, ignoring.whole)}
          onClose={deciding.stopIgnoring}
        />
      )}
    </>
  )
}
