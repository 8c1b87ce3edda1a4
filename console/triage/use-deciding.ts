import { useState } from 'react'
import { useChange } from '../api/ask.ts'
import { useMay } from '../app/deployment.ts'
import { useKeys } from '../app/keyboard/keys.ts'
import { returnToList } from '../ui/lists/return-to-list.ts'
import { say, sayFailure } from '../ui/overlays/toasts.tsx'
import { copy } from '../ui/text/copy-line.tsx'
import { plural } from '../ui/text/words.ts'
import { type Kind, kinds } from './kinds.ts'
import { countOf, type Group, type Targets, targetsAmong, tooMany, withoutBrokenGroups } from './selection.ts'
import { useAssign } from './use-assign.ts'
import { type Decidable, type Decision, useTriage } from './use-triage.ts'

type Options = {
  kind: Kind
  rows: readonly Decidable[]
  /** Rows that stand for many. They are selected and decided about like others. */
  groups?: readonly Group[]
  filter: unknown
  /** How many the whole list has. */
  total: number
  /** Whether groups and total are of this filter. Until the first answer to another one, those of the former are still shown. */
  isAnswered: boolean
  /** The item that is open beside the list, once it is here. */
  opened: Decidable | undefined
  isOpen: boolean
  close: () => void
}

/** What is selected, and under which filter: it means nothing under another one. */
type Selection = { asked: string; keys: ReadonlySet<string>; whole: boolean }

/** The server takes no more. */
const mostInTicket = 100
const none: readonly never[] = []
const nothing: ReadonlySet<string> = new Set()
const just = (some: readonly Decidable[]): Targets => ({ rows: some, groups: none })

/** Selecting rows of a list and deciding about them: about those selected, else the current one or the one that is open, or about all that match. */
export function useDeciding({ kind, rows, groups = none, filter, total, isAnswered, opened, isOpen, close }: Options) {
  const asked = JSON.stringify(filter)
  const [current, setCurrent] = useState<string>()
  const [selection, setSelection] = useState<Selection>({ asked, keys: nothing, whole: false })
  // Dropped for good: who comes back to the filter does not expect that anything is still selected.
  if (selection.asked !== asked) setSelection({ asked, keys: nothing, whole: false })
  const { keys: selected, whole } = selection
  const [ignoring, setIgnoring] = useState<Targets>()
  const [asking, setAsking] = useState<{ targets: Targets; decision: Decision }>()
  const { why } = useMay(kinds[kind].permission)
  const triage = useTriage(kind)
  const assignTo = useAssign(kind)
  const ticket = useChange('createTicket', ['listTickets'])
  const among = (keys: ReadonlySet<string>) => targetsAmong(keys, rows, isAnswered ? groups : none)
  const picked: Targets = whole ? { rows: none, groups: [{ key: 'whole', total, filter }] } : among(selected)
  const anyPicked = selected.size > 0
  /** What a key is about: what is selected, else the row that has the focus; from elsewhere the item that is open, not a row behind it. */
  const keyed = (): Targets => {
    const list = document.querySelector('[role=grid]')
    const isBeside = isOpen && !list?.contains(document.activeElement)
    if (isBeside && !(anyPicked && list?.checkVisibility())) return just(opened ? [opened] : [])
    return anyPicked ? picked : among(new Set(current === undefined ? [] : [current]))
  }

  const select = (keys: ReadonlySet<string>) => setSelection({ asked, keys, whole: false })
  const clear = () => {
    returnToList('.bulk')
    select(nothing)
  }
  const whyNot = (some: Targets) => why ?? tooMany(some, kind)
  const run = (all: Targets, decision: Decision) => {
    const { rows: some, groups: many } = all
    const no = whyNot(all)
    if (no) return say(no)
    void triage.decide(some, decision)
    if (many.length > 0)
      void triage.decideAll(
        many.map((group) => group.filter),
        decision,
      )
    clear()
  }
  const ignore = (some: Targets) => {
    const no = whyNot(some)
    if (no) say(no)
    else if (countOf(some) > 0) {
      // The dialog gives the focus back to where it was, and the bar will be gone by then.
      returnToList('.bulk')
      setIgnoring(some)
    }
  }
  const makeTicket = (some: readonly Decidable[]) => {
    if (some.length > mostInTicket)
      return say(
        `No ticket: ${plural(some.length, kind)} are selected, and a ticket is about at most ${mostInTicket}. Select fewer.`,
      )
    ticket.mutate(
      { body: { [kinds[kind].ids]: some.map((row) => row.id) } },
      {
        onSuccess: () => say('The ticket is being made.', 'no undo'),
        onError: (problem) => sayFailure(`No ticket: ${problem.message}`),
      },
    )
  }
  const ticketForKey = () => {
    const targets = keyed()
    if (targets.groups.length > 0)
      sayFailure(
        `No ticket: a ticket is about ${kind}s that are selected one by one. Select at most ${mostInTicket} of them.`,
      )
    else if (targets.rows.length > 0) makeTicket(targets.rows)
  }
  const into = (triageState: Decision['triageState']) => () => {
    const targets = keyed()
    // A group that is merely under the cursor may hold thousands, and this has no undo: the button says the number first.
    if (!anyPicked && targets.groups.length > 0 && !whyNot(targets)) setAsking({ targets, decision: { triageState } })
    else run(targets, { triageState })
  }
  useKeys({
    r: into('TRIAGE_STATE_REVIEWING'),
    f: into('TRIAGE_STATE_FIXING'),
    u: into('TRIAGE_STATE_OPEN'),
    i: () => ignore(keyed()),
    t: ticketForKey,
    y: () => void copy(location.href, 'Link'),
    Escape: () => (selected.size > 0 ? clear() : isOpen && close()),
    '[': () => isOpen && close(),
  })

  return {
    selected,
    /** About rows in hand, for the panel. */
    decide: (some: readonly Decidable[], decision: Decision) => run(just(some), decision),
    ignore: (some: readonly Decidable[]) => ignore(just(some)),
    makeTicket,
    grid: {
      selection: selected,
      onSelect: (keys: ReadonlySet<string>) => select(withoutBrokenGroups(selected, keys, groups)),
    },
    setCurrent,
    bulk: {
      count: countOf(picked),
      total,
      whole,
      why,
      /** Not before it is known what matches. */
      onWhole: isAnswered ? () => setSelection({ ...selection, whole: true }) : undefined,
      onDecide: (triageState: Decision['triageState']) => run(picked, { triageState }),
      onIgnore: () => ignore(picked),
      onTicket: picked.rows.length > 0 && picked.groups.length === 0 ? () => makeTicket(picked.rows) : undefined,
      onAssign: (assigneeId: string | null) => {
        const filters = picked.groups.map((group) => group.filter)
        void assignTo({ ids: picked.rows.map((row) => row.id), filters }, assigneeId)
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
