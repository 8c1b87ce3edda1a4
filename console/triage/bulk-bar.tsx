import { Button } from '../ui/button.tsx'
import { bounded } from '../ui/text/words.ts'
import { PersonChooser } from './person-chooser.tsx'
import type { Deciding } from './use-deciding.ts'

/**
 * What can be done with all that is selected. `loaded`: all that is here is selected, and the rest may be too. `atLeast`: there may be
 * more of it than was counted.
 */
export function BulkBar({ loaded, atLeast, bulk }: { loaded: boolean; atLeast: boolean; bulk: Deciding['bulk'] }) {
  const { count, total, whole, why, onWhole, onDecide, onIgnore, onTicket, onAssign, onClear } = bulk
  return (
    <section className="bulk fade" aria-label="Selection">
      <span role="status">{bounded({ total: count, atLeast: whole && atLeast })} selected</span>
      {loaded && !whole && onWhole && total > count && (
        <Button onClick={onWhole}>Select all {bounded({ total, atLeast })} that match</Button>
      )}
      <Button why={why} onClick={() => onDecide('TRIAGE_STATE_REVIEWING')}>
        Review <kbd>r</kbd>
      </Button>
      <Button why={why} onClick={() => onDecide('TRIAGE_STATE_FIXING')}>
        Fixing <kbd>f</kbd>
      </Button>
      <Button why={why} onClick={onIgnore}>
        Ignore <kbd>i</kbd>
      </Button>
      {onTicket && (
        <Button why={why} onClick={onTicket}>
          Ticket <kbd>t</kbd>
        </Button>
      )}
      <PersonChooser label="Assign to" empty="Assign…" chosen={undefined} onChoose={onAssign} />
      <Button onClick={onClear}>Clear</Button>
    </section>
  )
}
