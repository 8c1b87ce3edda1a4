import type { ReactNode } from 'react'
import { usePassedPages } from '../api/ask.ts'
import { call } from '../api/call.ts'
import type { Problem } from '../api/problem.ts'
import { useDeployment } from '../app/deployment.ts'
import { DecisionDialogs } from '../triage/dialogs.tsx'
import { useAssigneeNames } from '../triage/person-names.ts'
import type { Deciding } from '../triage/use-deciding.ts'
import { FilterBar } from '../ui/forms/filter-bar.tsx'
import { SearchField } from '../ui/forms/search-field.tsx'
import { ExportMenu } from '../ui/lists/export-menu.tsx'
import { Split } from '../ui/split.tsx'
import { ErrorBox, Forbidden } from '../ui/states.tsx'
import { bounded, noun } from '../ui/text/words.ts'
import { SavedViews } from '../views/saved-views.tsx'
import { findingFields } from './filter.ts'
import { GroupChoice } from './groups/group-choice.tsx'
import { ColumnChoice } from './list/column-choice.tsx'
import { NothingFound } from './list/empty.tsx'
import { findingFacets } from './list/facets.tsx'
import { Views } from './list/views.tsx'
import { FindingPanel } from './panel/panel.tsx'
import type { Question } from './question.ts'

/** What stands around the list of findings, however it is drawn: head, filters, the panel beside it and its dialogs. */
export function FindingsFrame({
  question,
  deciding,
  children,
}: {
  question: Question
  deciding: Deciding
  children: ReactNode
}) {
  const { id: deploymentId } = useDeployment()
  const { pairs, filter, wire, lost, counts, open, openId } = question
  const nameOf = useAssigneeNames(pairs)
  return (
    <>
      <header className="list-head">
        <div className="row">
          <h1 tabIndex={-1}>
            Findings <span className="total">{counts.data ? bounded(counts.data) : ''}</span>
          </h1>
          <Views />
          <SavedViews page="findings" pairs={pairs} />
          <span className="push row tight">
            <SearchField label="Search titles and messages" name="text" pairs={pairs} />
            <ColumnChoice />
            <ExportMenu
              name="findings"
              formats={['csv', 'json', 'sarif']}
              prepare={(format) => call('prepareExport', { params: { deploymentId }, body: { format, filter: wire } })}
            />
          </span>
        </div>
        <FilterBar
          fields={findingFields.filter((field) => field.key !== 'text')}
          pairs={pairs}
          lost={lost}
          facet={findingFacets(filter)}
          nameOf={nameOf}
        >
          <GroupChoice pairs={pairs} by={question.by} />
        </FilterBar>
        <span className="visually-hidden" role="status">
          {counts.data && `${bounded(counts.data)} ${noun(counts.data.total, 'finding')}`}
        </span>
      </header>
      <Split
        label="Finding"
        list={children}
        panel={
          openId && (
            <FindingPanel
              key={openId}
              id={openId}
              onDecide={deciding.decide}
              onIgnore={deciding.ignore}
              onTicket={deciding.makeTicket}
              onClose={() => open()}
            />
          )
        }
      />
      <DecisionDialogs deciding={deciding} kind="finding" />
    </>
  )
}

type Asked = {
  data: unknown
  error: Problem | null
  isFetching: boolean
  refetch: () => unknown
}

/** The list, or why there is none. */
export function ListState({
  asked,
  isEmpty,
  busy,
  question,
  children,
}: {
  asked: Asked
  isEmpty: boolean
  busy: boolean
  question: Question
  children: ReactNode
}) {
  const failed = isEmpty ? asked.error : undefined
  const passed = usePassedPages('searchFindings')
  return (
    <>
      {(asked.isFetching || busy) && <div className="busy-line" />}
      {passed > 0 && (
        <p className="muted small page" role="status">
          Few findings match, so all are looked through, part by part. {passed.toLocaleString('en')}{' '}
          {passed === 1 ? 'part has' : 'parts have'} no match so far. The search goes on by itself.
        </p>
      )}
      {failed?.status === 403 && <Forbidden problem={failed} />}
      {failed && failed.status !== 403 && (
        <div className="page">
          <ErrorBox problem={failed} retry={() => void asked.refetch()} />
        </div>
      )}
      {!failed && Boolean(asked.data) && isEmpty && <NothingFound pairs={question.pairs} />}
      {!failed && !isEmpty && children}
    </>
  )
}
