import { useState } from 'react'
import type { Finding } from '../../src/capabilities/findings/finding.ts'
import { nextPage, useAsk, useChange, usePages } from '../api/ask.ts'
import type { Body } from '../api/contracts.ts'
import { firstOf, formatSearch, pathPart, withValues } from '../app/address.ts'
import { useDeployment, useMay, usePathTo } from '../app/deployment.ts'
import { readFilter } from '../app/filter.ts'
import { useKeys } from '../app/keys.ts'
import { go, goSearch, usePlace } from '../app/location.ts'
import { copy } from '../ui/copy-line.tsx'
import { FilterBar } from '../ui/filter-bar.tsx'
import { Grid, type GridSort } from '../ui/grid.tsx'
import { useTitle } from '../ui/page.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { Split } from '../ui/split.tsx'
import { ErrorBox, Forbidden } from '../ui/states.tsx'
import { say } from '../ui/toasts.tsx'
import { plural } from '../ui/words.ts'
import { BulkBar } from './bulk-bar.tsx'
import { findingColumns } from './columns.tsx'
import { NothingFound } from './empty.tsx'
import { ExportMenu, exportFindings } from './export.tsx'
import { findingFacets } from './facets.tsx'
import { findingFields, reserved } from './filter.ts'
import { IgnoreDialog } from './ignore-dialog.tsx'
import { FindingPanel } from './panel.tsx'
import { type Decision, useTriage } from './use-triage.ts'
import { Views } from './views.tsx'

export type FindingFilter = NonNullable<Body<'searchFindings'>['filter']>
type Asking = { findings: readonly Finding[]; whole: boolean }

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
  const [current, setCurrent] = useState<Finding>()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [whole, setWhole] = useState(false)
  const [ignoring, setIgnoring] = useState<Asking>()
  const triage = useTriage()
  const may = useMay('findings:triage')
  const ticket = useChange('createTicket', ['listTickets'])

  const open = (id?: string) =>
    go(to(id ? `findings/${pathPart(id)}` : 'findings') + formatSearch(pairs), { replace: Boolean(params.id) })
  const picked = rows.filter((row) => selected.has(row.id))
  const targets = picked.length > 0 ? picked : current ? [current] : []
  const clear = () => {
    setSelected(new Set())
    setWhole(false)
  }
  const decide = (findings: readonly Finding[], decision: Decision, all = false) => {
    if (may.why) return say(may.why)
    if (all) void triage.decideAll(wire, decision)
    else void triage.decide(findings, decision)
    clear()
  }
  const ignore = (findings: readonly Finding[], all = false) => {
    if (may.why) say(may.why)
    else if (findings.length > 0) setIgnoring({ findings, whole: all })
  }
  const makeTicket = (findings: readonly Finding[]) =>
    ticket.mutate(
      { body: { findingIds: findings.slice(0, 100).map((finding) => finding.id) } },
      { onSuccess: () => say('The ticket is being made.'), onError: (problem) => say(`No ticket: ${problem.message}`) },
    )
  useKeys({
    r: () => decide(targets, { triageState: 'TRIAGE_STATE_REVIEWING' }, whole),
    f: () => decide(targets, { triageState: 'TRIAGE_STATE_FIXING' }, whole),
    u: () => decide(targets, { triageState: 'TRIAGE_STATE_OPEN' }, whole),
    i: () => ignore(targets, whole),
    t: () => targets.length > 0 && makeTicket(targets),
    y: () => void copy(location.href, 'Link'),
    e: () => void exportFindings(deploymentId, wire, 'csv'),
    Escape: () => (selected.size > 0 ? clear() : params.id && open()),
    '[': () => params.id && open(),
  })
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
          onCurrent={setCurrent}
          selection={selected}
          onSelect={(next) => {
            setSelected(next)
            setWhole(false)
          }}
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
          whole={whole}
          // Not where a part of the address was not understood: the filter is then wider than whoever wrote it meant.
          loaded={selected.size === rows.length && lost.length === 0}
          why={may.why}
          onWhole={() => setWhole(true)}
          onDecide={(triageState) => decide(picked, { triageState }, whole)}
          onIgnore={() => ignore(picked, whole)}
          onTicket={() => makeTicket(picked)}
          onClear={clear}
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
          count={ignoring.whole ? total : ignoring.findings.length}
          onDecide={(decision) => decide(ignoring.findings, decision, ignoring.whole)}
          onClose={() => setIgnoring(undefined)}
        />
      )}
    </>
  )
}
