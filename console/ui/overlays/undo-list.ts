/** How a change is taken back; a promise says how that ended. */
export type Undo = (() => unknown) | 'no undo'

export type Change = { text: string; undo: Undo; at: number }

export const undoneWithinMs = 30_000

/** What was changed in the last half minute, whatever of it is still shown. */
export function createUndoList(now: () => number = Date.now) {
  let changes: readonly Change[] = []

  function note(text: string, undo: Undo): Change {
    const change = { text, undo, at: now() }
    // What came before one that stays is not taken back past it.
    changes = undo === 'no undo' ? [change] : [...changes, change]
    return change
  }

  function last(): Change | undefined {
    changes = changes.filter(({ at }) => now() - at < undoneWithinMs)
    return changes.at(-1)
  }

  function drop(change: Change): void {
    changes = changes.filter((each) => each !== change)
  }

  return { note, last, drop }
}
