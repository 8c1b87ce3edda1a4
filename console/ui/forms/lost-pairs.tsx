import { type Pair, parseSearch } from '../../app/address/address.ts'
import { goSearch } from '../../app/address/location.ts'
import { Icon } from '../icons.tsx'
import { plainly } from '../text/foreign-text.ts'

/** What of the address is not understood, each to be taken out of it. */
export function LostPairs({ lost }: { lost: readonly Pair[] }) {
  const without = ([name, value]: Pair) =>
    parseSearch(location.search).filter((pair) => pair[0] !== name || pair[1] !== value)
  return lost.map((pair) => (
    <button
      key={pair.join('=')}
      type="button"
      className="chip lost"
      title="Take it out of the address"
      onClick={() => goSearch(without(pair))}
    >
      <span className="value">{plainly(`not understood: ${pair.join('=')}`)}</span>
      <Icon name="close" size={12} />
    </button>
  ))
}
