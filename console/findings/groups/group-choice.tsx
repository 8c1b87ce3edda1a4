import type { Grouping } from '../../../src/capabilities/findings/search/group-contract.ts'
import { type Pair, withValues } from '../../app/address/address.ts'
import { goSearch } from '../../app/address/location.ts'
import { groupings } from './lines.ts'

/** What the list is grouped by. Its order and what is open in it belong to one grouping only. */
export function GroupChoice({ pairs, by }: { pairs: readonly Pair[]; by: Grouping | undefined }) {
  const choose = (word: string) => {
    const rest = pairs.filter(([name]) => name !== 'sort' && name !== 'in')
    goSearch(withValues(rest, 'group', word ? [word] : []))
  }
  return (
    <label className="group-by">
      <span>Group by</span>
      <select value={by ?? ''} onChange={(event) => choose(event.target.value)}>
        <option value="">Nothing</option>
        {groupings.map((each) => (
          <option key={each.by} value={each.by}>
            {each.label}
          </option>
        ))}
      </select>
    </label>
  )
}
