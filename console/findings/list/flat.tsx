import { nextPage, usePages } from '../../api/ask.ts'
import { withValues } from '../../app/address/address.ts'
import { goSearch } from '../../app/address/location.ts'
import { BulkBar } from '../../triage/bulk-bar.tsx'
import { useDeciding } from '../../triage/use-deciding.ts'
import { Grid } from '../../ui/lists/grid.tsx'
import { FindingsFrame, ListState } from '../frame.tsx'
import type { FindingSort, Question } from '../question.ts'
import { useFindingColumns } from './column-choice.tsx'
import { sortOf, sortWord } from './sort.ts'

/** Findings one by one. */
export function FlatFindings({ question }: { question: Question }) {
  const { pairs, wire, lost, counts, open, openId } = question
  const columns = useFindingColumns()
  const sort = sortOf(question.sort)
  const pages = usePages(
    'searchFindings',
    { body: { filter: wire, sort: sort as FindingSort, pageSize: 100 } },
    { where: 'body' },
  )
  const rows = pages.data?.pages.flatMap((page) => page.findings) ?? []
  const total = Math.max(counts.data?.total ?? 0, pages.hasNextPage ? rows.length + 1 : rows.length)
  const deciding = useDeciding({
    kind: 'finding',
    rows,
    filter: wire,
    total,
    isAnswered: counts.isSuccess && !counts.isPlaceholderData && !pages.isPlaceholderData,
    opened: question.opened,
    isOpen: Boolean(openId),
    close: () => open(),
  })
  return (
    <FindingsFrame question={question} deciding={deciding}>
      <ListState asked={pages} isEmpty={rows.length === 0} busy={counts.isFetching} question={question}>
        <Grid
          label="Findings"
          rows={rows}
          total={total}
          columns={columns}
          keyOf={(row) => row.id}
          openKey={openId}
          onOpen={(row) => open(row.id)}
          addressOf={(row) => question.addressOf(row.id)}
          onCurrent={(row) => deciding.setCurrent(row?.id)}
          {...deciding.grid}
          sort={sort}
          onSort={(next) => goSearch(withValues(pairs, 'sort', sortWord(next)))}
          onMore={nextPage(pages)}
        />
      </ListState>
      {deciding.selected.size > 0 && (
        <BulkBar
          // Not where a part of the address was not understood: the filter is then wider than whoever wrote it meant.
          loaded={deciding.selected.size === rows.length && lost.length === 0}
          atLeast={counts.data?.atLeast ?? false}
          bulk={deciding.bulk}
        />
      )}
    </FindingsFrame>
  )
}
