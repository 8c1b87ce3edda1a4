import { useState } from 'react'
import { useChange } from '../api/ask.ts'
import { useMay } from '../app/deployment.ts'
import { useKeys } from '../app/keys.ts'
import { copy } from '../ui/copy-line.tsx'
import { say } from '../ui/toasts.tsx'

type States = 'TRIAGE_STATE_REVIEWING' | 'TRIAGE_STATE_FIXING' | 'TRIAGE_STATE_OPEN'

type Options<Row, Filter, Decision> = {
  rows: readonly Row[]
  filter: Filter
  permission: Parameters<typeof useMay>[0]
  triage: {
    decide(rows: readonly Row[], decision: Decision): Promise<void>
    decideAll(filter: Filter, decision: Decision): Promise<void>
  }
  /** What a ticket about them is asked for with. */
  ticketOf: (ids: string[]) => { findingIds: string[] } | { issueIds: string[] }
  /** Whether an item is open beside the list, and how it is closed. */
  isOpen: boolean
  close: () => void
}

/** Selecting rows of a list and deciding about them: about those selected, else the current one, or about all that match. */
export function useDeciding<Row extends { id: string }, Filter, Decision extends { triageState: string }>({
  rows,
  filter,
  permission,
  triage,
  ticketOf,
  isOpen,
  close,
}: Options<Row, Filter, Decision>) {
  const [current, setCurrent] = useState<Row>()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [whole, setWhole] = useState(false)
  const [ignoring, setIgnoring] = useState<{ rows: readonly Row[]; whole: boolean }>()
  const { why } = useMay(permission)
  const ticket = useChange('createTicket', ['listTickets'])
  const picked = rows.filter((row) => selected.has(row.id))
  const targets = picked.length > 0 ? picked : current ? [current] : []

  const select = (next: ReadonlySet<string>) => {
    setSelected(next)
    setWhole(false)
  }
  const clear = () => select(new Set())
  const decide = (some: readonly Row[], decision: Decision, all = false) => {
    if (why) return say(why)
    if (all) void triage.decideAll(filter, decision)
    else void triage.decide(some, decision)
    clear()
  }
  const ignore = (some: readonly Row[], all = false) => {
    if (why) say(why)
    else if (some.length > 0) setIgnoring({ rows: some, whole: all })
  }
  const makeTicket = (some: readonly Row[]) =>
    ticket.mutate(
      { body: ticketOf(some.slice(0, 100).map((row) => row.id)) },
      { onSuccess: () => say('The ticket is being made.'), onError: (problem) => say(`No ticket: ${problem.message}`) },
    )
  const into = (triageState: States) => () => decide(targets, { triageState } as Decision, whole)
  useKeys({
    r: into('TRIAGE_STATE_REVIEWING'),
    f: into('TRIAGE_STATE_FIXING'),
    u: into('TRIAGE_STATE_OPEN'),
    i: () => ignore(targets, whole),
    t: () => targets.length > 0 && makeTicket(targets),
    y: () => void copy(location.href, 'Link'),
    Escape: () => (selected.size > 0 ? clear() : isOpen && close()),
    '[': () => isOpen && close(),
  })

  return {
    selected,
    whole,
    ignoring,
    decide,
    ignore,
    makeTicket,
    grid: { selection: selected, onSelect: select, onCurrent: setCurrent },
    bulk: {
      whole,
      why,
      onWhole: () => setWhole(true),
      onDecide: (triageState: Decision['triageState']) => decide(picked, { triageState } as Decision, whole),
      onIgnore: () => ignore(picked, whole),
      onTicket: () => makeTicket(picked),
      onClear: clear,
    },
    stopIgnoring: () => setIgnoring(undefined),
  }
}
