import { useAsk } from '../../api/ask.ts'
import { type Pair, valuesOf, withValues } from '../../app/address/address.ts'
import { readFilter } from '../../app/address/filter.ts'
import { goSearch } from '../../app/address/location.ts'
import { NothingYet } from '../../scans/nothing-yet.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/states.tsx'
import { bounded, plural } from '../../ui/text/words.ts'
import { findingFields, reserved } from '../filter.ts'

const commands = `gatehouse scan . --repository group/project --ref main
gatehouse upload results.sarif --repository group/project --ref main`

/** How much one filter alone keeps away, and the way to be without it. */
function WithoutChip({ name, pairs }: { name: string; pairs: readonly Pair[] }) {
  const left = withValues(pairs, name, name === 'state' ? ['any'] : [])
  const { filter } = readFilter(findingFields, left, reserved)
  const { data } = useAsk('countFindings', { body: { filter } })
  const label = findingFields.find((field) => field.key === name)?.label.toLowerCase() ?? name
  return (
    <Button onClick={() => goSearch(left)}>
      Without {label}
      {data && `: ${bounded(data)}`}
    </Button>
  )
}

/** Nothing matches, or nothing is there yet, or nothing is visible: three different things to do. */
export function NothingFound({ pairs }: { pairs: readonly Pair[] }) {
  const everything = useAsk('countFindings', { body: {} })
  if (!everything.data) return null
  const chosen = pairs.filter(([name]) => !(reserved as readonly string[]).includes(name))
  const states = valuesOf(pairs, 'state')
  // Where the address names no state, what is settled is left out all the same.
  const names = new Set([...(states.length === 0 ? ['state'] : []), ...chosen.map(([name]) => name)])
  if (states.includes('any')) names.delete('state')
  if (everything.data.total > 0) {
    return (
      <Empty title="Nothing matches these filters">
        <p>{plural(everything.data.total, 'finding is', 'findings are')} there in all, whatever their state.</p>
        <div className="row">
          {[...names].map((name) => (
            <WithoutChip key={name} name={name} pairs={pairs} />
          ))}
          {chosen.length > 0 && (
            <Button
              look="primary"
              onClick={() => goSearch(pairs.filter(([name]) => (reserved as readonly string[]).includes(name)))}
            >
              Clear filters
            </Button>
          )}
        </div>
      </Empty>
    )
  }
  return (
    <NothingYet
      title="No findings yet"
      about="Send what a scanner found, as SARIF. Lockfiles and bills of materials are compared with advisories."
      command={commands}
    />
  )
}
