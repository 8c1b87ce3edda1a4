import { useState } from 'react'
import { useChange } from '../api/ask.ts'
import { useMay } from '../app/deployment.ts'
import { useKeys } from '../app/keyboard/keys.ts'
import { returnToList } from '../ui/lists/return-to-list.ts'
import { say } from '../ui/overlays/toasts.tsx'
import { copy } from '../ui/text/copy-line.tsx'
import { type Kind, kinds } from './kinds.ts'
import { useAssign } from './use-assign.ts'
import { type Decidable, type Decision, useTriage } from './use-triage.ts'

/** Many that are decided about as a whole, by a filter. */
export type Group = { key: string; total: number; filter: unknown }
/** What a decision is about. `whole`: all that the list matches, also what is not loaded. */
export type Targets = { rows: readonly Decidable[]; groups: readonly Group[]; whole: boolean }

type Options = {
  kind: Kind
  rows: readonly Decidable[]
  /** Rows that stand for many. They are selected and decided about like others. */
  groups?: readonly Group[]
  filter: unknown
  /** How many the whole list has. */
  total: number
  /** Whether an item is open beside the list, and how it is closed. */
  isOpen: boolean
  close: () => void
}

const none: readonly never[] = []

/** Selecting rows of a list and deciding about them: about those selected, else the current one, or about all that match. */
export function useDeciding({ kind, rows, groups = none, filter, total, isOpen, close }: Options) {
  const [current, setCurrent] = useState<string>()
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [whole, setWhole] = useState(false)
  const [ignoring, setIgnoring] = useState<Targets>()
  const [asking, setAsking] = useState<{ targets: Targets; decision: Decision }>()
  const { why } = useMay(kinds[kind].permission)
  const triage = useTriage(kind)
  const assignTo = useAssign(kind)
  const ticket = useChange('createTicket', ['listTickets'])
  const among = (keys: ReadonlySet<string>): Targets => ({
    rows: rows.filter((row) => keys.has(row.id)),
    groups: groups.filter((group) => keys.has(group.key)),
    whole: false,
  })
  const picked: Targets = { ...among(selected), whole }
  const anyPicked = whole || picked.rows.length + picked.groups.length > 0
  const targets = anyPicked ? picked : among(new Set(current === undefined ? [] : [current]))
  const countOf = ({ rows: some, groups: many, whole: all }: Targets) =>
    all ? total : some.length + many.reduce((sum, group) => sum + group.total, 0)

  const select = (next: ReadonlySet<string>) => {
    setSelected(next)
    setWhole(false)
  }
  const clear = () => {
    returnToList('.bulk')
    select(new Set())
  }
  const run = ({ rows: some, groups: many, whole: all }: Targets, decision: Decision) => {
    if (why) return say(why)
    if (all) void triage.decideAll([filter], decision)
    else {
      void triage.decide(some, decision)
      if (many.length > 0)
        void triage.decideAll(
          many.map((group) => group.filter),
          decision,
        )
    }
    clear()
  }
  const ignore = (some: Targets) => {
    if (why) say(why)
    else if (countOf(some) > 0) {
      // The dialog gives the focus back to where it was, and the bar will be gone by then.
      returnToList('.bulk')
      setIgnoring(some)
    }
  }
  const makeTicket = (some: readonly Decidable[]) =>
    ticket.mutate(
      { body: { [kinds[kind].ids]: some.slice(0, 100).map((row) => row.id) } },
      { onSuccess: () => say('The ticket is being made.'), onError: (problem) => say(`No ticket: ${problem.message}`) },
    )
  const into = (triageState: Decision['triageState']) => () => {
    // A group that is merely under the cursor may hold thousands, and this has no undo: the button says the number first.
    if (!anyPicked && targets.groups.length > 0 && !why) setAsking({ targets, decision: { triageState } })
    else run(targets, { triageState })
  }
  useKeys({
    r: into('TRIAGE_STATE_REVIEWING'),
    f: into('TRIAGE_STATE_FIXING'),
    u: into('TRIAGE_STATE_OPEN'),
    i: () => ignore(targets),
    t: () => targets.rows.length > 0 && makeTicket(targets.rows),
    y: () => void copy(location.href, 'Link'),
    Escape: () => (selected.size > 0 ? clear() : isOpen && close()),
    '[': () => isOpen && close(),
  })

  const just = (some: readonly Decidable[]): Targets => ({ rows: some, groups: none, whole: false })
  return {
    selected,
    /** About rows in hand, for the panel. */
    decide: (some: readonly Decidable[], decision: Decision) => run(just(some), decision),
    ignore: (some: readonly Decidable[]) => ignore(just(some)),
    makeTicket,
    grid: { selection: selected, onSelect: select },
    setCurrent,
    bulk: {
      count: countOf(picked),
      total,
      whole,
      why,
      onWhole: () => setWhole(true),
      onDecide: (triageState: Decision['triageState']) => run(picked, { triageState }),
      onIgnore: () => ignore(picked),
      onTicket:
        picked.rows.length > 0 && picked.groups.length === 0 && !whole ? () => makeTicket(picked.rows) : undefined,
      onAssign: (assigneeId: string | null) => {
        const ways = whole ? [filter] : picked.groups.map((group) => group.filter)
        void assignTo({ ids: whole ? [] : picked.rows.map((row) => row.id), filters: ways }, assigneeId)
        clear()
      },
      onClear: clear,
    },
    ignoring: ignoring && {
      count: countOf(ignoring),
      onDecide: (decision: Decision) => run(ignoring, decision),
      onClose: () => setIgnoring(undefined),
    },
    asking: asking && {
      count: countOf(asking.targets),
      triageState: asking.decision.triageState,
      run: async () => run(asking.targets, asking.decision),
      onClose: () => setAsking(undefined),
    },
  }
}

export type Deciding = ReturnType<typeof useDeciding>
