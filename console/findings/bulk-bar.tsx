import { Button } from '../ui/button.tsx'
import type { Decision } from './use-triage.ts'

type Props = {
  count: number
  total: number
  whole: boolean
  loaded: boolean
  why: string | undefined
  onWhole: () => void
  onDecide: (state: Decision['triageState']) => void
  onIgnore: () => void
  onTicket: () => void
  onClear: () => void
}

/** What can be done with all that is selected. */
export function BulkBar({ count, total, whole, loaded, why, onWhole, onDecide, onIgnore, onTicket, onClear }: Props) {
  return (
    <section className="bulk fade" aria-label="Selection">
      <span role="status">{count.toLocaleString('en')} selected</span>
      {loaded && !whole && total > count && (
        <Button onClick={onWhole}>Select all {total.toLocaleString('en')} that match</Button>
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
      {!whole && (
        <Button why={why} onClick={onTicket}>
          Ticket <kbd>t</kbd>
        </Button>
      )}
      <Button onClick={onClear}>Clear</Button>
    </section>
  )
}
