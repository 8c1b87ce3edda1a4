import type { FindingGroup, Grouping } from '../../../src/capabilities/findings/search/group-contract.ts'
import { nextPage, usePages } from '../../api/ask.ts'
import { formatSearch, valuesOf, withValues } from '../../app/address/address.ts'
import { writeFilter } from '../../app/address/filter.ts'
import { goSearch } from '../../app/address/location.ts'
import { usePathTo } from '../../app/deployment.ts'
import { BulkBar } from '../../triage/bulk-bar.tsx'
import { useDeciding } from '../../triage/use-deciding.ts'
import { Grid } from '../../ui/lists/grid.tsx'
import { Empty, ErrorBox } from '../../ui/states.tsx'
import { findingFields } from '../filter.ts'
import { FindingsFrame, ListState } from '../frame.tsx'
import { useFindingColumns } from '../list/column-choice.tsx'
import type { Question } from '../question.ts'
import { groupColumns } from './columns.tsx'
import { filterOfGroup, groupSortOf, type Line, linesOf, wordOfGroup } from './lines.ts'
import { useMembers } from './use-members.ts'

/** Findings by what they have in common. A group opens to exactly its findings and can be decided as a whole. */
export function GroupedFindings({ question, by }: { question: Question; by: Grouping }) {
  const to = usePathTo()
  const { pairs, wire, counts, open, openId } = question
  const sort = groupSortOf(question.sort)
  const pages = usePages('groupFindings', { body: { filter: wire, by, sort, pageSize: 100 } }, { where: 'body' })
  const groups = pages.data?.pages.flatMap((page) => page.groups) ?? []
  const expanded = new Set(valuesOf(pairs, 'in'))
  const opened = groups
    .map((group) => ({ word: wordOfGroup(by, group), filter: filterOfGroup(wire, group.filter) }))
    .filter(({ word }) => expanded.has(word))
  const { members, isFetching, problem, readMore } = useMembers(opened)
  const lines = linesOf(by, groups, expanded, members)
  const toggle = (word: string) => {
    const next = expanded.has(word) ? [...expanded].filter((each) => each !== word) : [...expanded, word]
    goSearch(withValues(pairs, 'in', next), { replace: true })
  }
  const deciding = useDeciding({
    kind: 'finding',
    rows: lines.flatMap((line) => (line.kind === 'finding' ? [line.finding] : [])),
    groups: groups.map((group) => ({
      key: `group ${wordOfGroup(by, group)}`,
      total: group.total,
      filter: filterOfGroup(wire, group.filter),
      ids: members.get(wordOfGroup(by, group))?.findings.map((finding) => finding.id) ?? [],
    })),
    filter: wire,
    total: counts.data?.total ?? 0,
    isAnswered: !pages.isPlaceholderData,
    opened: question.opened,
    isOpen: Boolean(openId),
    close: () => open(),
  })
  const columns = groupColumns(useFindingColumns(), {
    linkTo: ({ filter }: FindingGroup) =>
      to('findings') + formatSearch(writeFilter(findingFields, filterOfGroup(wire, filter))),
    onToggle: toggle,
  })
  const openLine = (line: Line) => {
    if (line.kind === 'finding') open(line.finding.id)
    else if (line.kind === 'group') toggle(line.word)
    else readMore(line.word)
  }
  const noGroup = groups.length === 0 && (counts.data?.total ?? 0) > 0 && pages.isSuccess
  return (
    <FindingsFrame question={question} deciding={deciding}>
      {problem && <ErrorBox problem={problem} />}
      {noGroup ? (
        <Empty title={`None of these findings names a ${by}`}>
          <p>Choose another grouping, or none, to see them.</p>
        </Empty>
      ) : (
        <ListState
          asked={pages}
          isEmpty={groups.length === 0}
          busy={isFetching || counts.isFetching}
          question={question}
        >
          <Grid
            label={`Findings by ${by}`}
            rows={lines}
            total={lines.length + (pages.hasNextPage ? 1 : 0)}
            columns={columns}
            keyOf={(line) => line.key}
            openKey={openId}
            onOpen={openLine}
            addressOf={(line) => (line.kind === 'finding' ? question.addressOf(line.finding.id) : undefined)}
            onCurrent={(line) => deciding.setCurrent(line?.key)}
            selection={deciding.grid.selection}
            onSelect={(keys) => deciding.grid.onSelect(new Set([...keys].filter((key) => !key.startsWith('more '))))}
            sort={{ by: sort, direction: sort === 'oldest' ? 'asc' : 'desc' }}
            onSort={(next) => goSearch(withValues(pairs, 'sort', next.by === 'severity' ? [] : [next.by]))}
            onMore={nextPage(pages)}
          />
        </ListState>
      )}
      {deciding.selected.size > 0 && <BulkBar loaded={false} atLeast={false} bulk={deciding.bulk} />}
    </FindingsFrame>
  )
}
