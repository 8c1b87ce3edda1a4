import { nextPage, useAsk, usePages } from '../api/ask.ts'
import type { Body } from '../api/contracts.ts'
import { firstOf, formatSearch, type Pair, pathPart, valuesOf, withValues } from '../app/address/address.ts'
import { readFilter } from '../app/address/filter.ts'
import { go, goSearch, usePlace } from '../app/address/location.ts'
import { usePathTo } from '../app/deployment.ts'
import { BulkBar } from '../triage/bulk-bar.tsx'
import { DecisionDialogs } from '../triage/dialogs.tsx'
import { useAssigneeNames } from '../triage/person-names.ts'
import { useDeciding } from '../triage/use-deciding.ts'
import { Button } from '../ui/button.tsx'
import { FilterBar } from '../ui/forms/filter-bar.tsx'
import { SearchField } from '../ui/forms/search-field.tsx'
import { Grid } from '../ui/lists/grid.tsx'
import { useTitle } from '../ui/page.tsx'
import { Split } from '../ui/split.tsx'
import { Empty, ErrorBox, Forbidden } from '../ui/states.tsx'
import { plural } from '../ui/text/words.ts'
import { SavedViews } from '../views/saved-views.tsx'
import { issueColumns } from './columns.tsx'
import { issueFacets } from './facets.tsx'
import { isCounted, issueFields, readSort, reserved, writeSort } from './filter.ts'
import { IssuePanel, useOpenIssue } from './panel.tsx'
import { useWire } from './use-wire.ts'

export default function IssuesPage({ params }: { params: Record<string, string> }) {
  useTitle('Agentic issues')
  const to = usePathTo()
  const { pairs } = usePlace()
  const { filter, lost } = readFilter(issueFields, pairs, reserved)
  const { wire, ready, problem, retry } = useWire(filter)
  const nameOf = useAssigneeNames(pairs)
  const sort = readSort(firstOf(pairs, 'sort'))
  const pages = usePages(
    'searchIssues',
    { body: { filter: wire, sort, pageSize: 100 } },
    { where: 'body', enabled: ready },
  )
  const counted = isCounted(wire)
  const counts = useAsk(
    'countIssues',
    { body: { filter: wire as NonNullable<Body<'countIssues'>['filter']> } },
    { enabled: ready && counted },
  )
  // What is still here of the former filter is not shown beside the reason why there is nothing of this one.
  const rows = (!problem && pages.data?.pages.flatMap((page) => page.issues)) || []
  const known = counted ? counts.data?.total : pages.hasNextPage ? undefined : rows.length
  const total = Math.max(known ?? 0, pages.hasNextPage ? rows.length + 1 : rows.length)
  const addressOf = (id?: string) => to(id ? `issues/${pathPart(id)}` : 'issues') + formatSearch(pairs)
  const open = (id?: string) => go(addressOf(id), { replace: Boolean(params.id) })
  const deciding = useDeciding({
    kind: 'issue',
    rows,
    filter: wire,
    total,
    isAnswered: counts.isSuccess && !counts.isPlaceholderData && !pages.isPlaceholderData,
    opened: useOpenIssue(params.id).data?.data,
    isOpen: Boolean(params.id),
    close: () => open(),
  })
  const { selected } = deciding
  const failed = problem ?? (pages.error && rows.length === 0 ? pages.error : undefined)
  const list = (
    <>
      {((!ready && !problem) || pages.isFetching || counts.isFetching) && <div className="busy-line" />}
      {failed &&
        (failed.status === 403 ? (
          <Forbidden problem={failed} />
        ) : (
          <div className="page">
            <ErrorBox problem={failed} retry={problem ? retry : () => void pages.refetch()} />
          </div>
        ))}
      {!failed && pages.data && rows.length === 0 && <NoIssues pairs={pairs} />}
      {!failed && rows.length > 0 && (
        <Grid
          label="Agentic issues"
          rows={rows}
          total={total}
          columns={issueColumns}
          keyOf={(row) => row.id}
          openKey={params.id}
          onOpen={(row) => open(row.id)}
          addressOf={(row) => addressOf(row.id)}
          onCurrent={(row) => deciding.setCurrent(row?.id)}
          {...deciding.grid}
          sort={sort}
          onSort={(next) => goSearch(withValues(pairs, 'sort', writeSort(next)))}
          onMore={nextPage(pages)}
        />
      )}
      {selected.size > 0 && (
        <BulkBar
          atLeast={false}
          // Not where a part of the address was not understood: the filter is then wider than whoever wrote it meant.
          loaded={selected.size === rows.length && counted && lost.length === 0}
          bulk={deciding.bulk}
        />
      )}
    </>
  )
  return (
    <>
      <header className="list-head">
        <div className="row">
          <h1 tabIndex={-1}>
            Agentic issues <span className="total">{known?.toLocaleString('en') ?? ''}</span>
          </h1>
          <SavedViews page="issues" pairs={pairs} />
          <span className="push row tight">
            <SearchField label="Search titles" name="text" pairs={pairs} />
          </span>
        </div>
        <FilterBar
          fields={issueFields.filter((field) => field.key !== 'text')}
          pairs={pairs}
          lost={lost}
          facet={issueFacets(filter)}
          nameOf={nameOf}
        />
        <span className="visually-hidden" role="status">
          {known !== undefined && plural(known, 'issue')}
        </span>
      </header>
      <Split
        label="Issue"
        list={list}
        panel={
          params.id && (
            <IssuePanel
              key={params.id}
              id={params.id}
              onDecide={deciding.decide}
              onIgnore={deciding.ignore}
              onTicket={deciding.makeTicket}
              onClose={() => open()}
            />
          )
        }
      />
      <DecisionDialogs deciding={deciding} kind="issue" />
    </>
  )
}

/** Nothing matches, or nothing was ever reported. */
function NoIssues({ pairs }: { pairs: readonly Pair[] }) {
  const all = useAsk('countIssues', { body: {} })
  if (!all.data) return null
  if (all.data.total > 0)
    return (
      <Empty title="Nothing matches these filters">
        <p>{plural(all.data.total, 'issue is', 'issues are')} there in all, whatever their state.</p>
        <div className="row">
          {!valuesOf(pairs, 'state').includes('any') && (
            <Button onClick={() => goSearch(withValues(pairs, 'state', ['any']))}>Without state</Button>
          )}
          {pairs.some(([name]) => name !== 'sort') && (
            <Button look="primary" onClick={() => goSearch(pairs.filter(([name]) => name === 'sort'))}>
              Clear filters
            </Button>
          )}
        </div>
      </Empty>
    )
  return (
    <Empty title="No issues of agentic workflows yet">
      <p>
        Detectors report them to <code>/api/issues/…/issues</code>. You see those of your repositories and of the whole
        deployment.
      </p>
    </Empty>
  )
}
