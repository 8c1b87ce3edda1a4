import { useEffect, useSyncExternalStore } from 'react'
import { asProblem } from '../../api/problem.ts'
import { Button } from '../button.tsx'
import { returnToList } from '../lists/return-to-list.ts'
import { plainly } from '../text/foreign-text.ts'
import { type Change, createUndoList, type Undo, undoneWithinMs } from './undo-list.ts'

type Toast = { id: number; text: string; change?: Change | undefined; failed?: boolean }

const listeners = new Set<() => void>()
const changes = createUndoList()
let toasts: readonly Toast[] = []
let next = 1

function set(change: readonly Toast[]): void {
  toasts = change
  for (const listener of listeners) listener()
}

/** Says what happened. What was changed by it can be taken back with `undo` for half a minute, if there is a way. */
export function say(text: string, undo?: Undo): void {
  set([...toasts.slice(-2), { id: next++, text, change: undo && changes.note(text, undo) }])
}

/** Says what was not done, until it is closed: whoever looked away would take it for done. */
export function sayFailure(text: string): void {
  set([...toasts.slice(-2), { id: next++, text, failed: true }])
}

/** Undoes the last change, or says why not. */
export function undoLast(): void {
  const last = changes.last()
  if (last) takeBack(last)
  else say('Nothing to undo: that can be done for half a minute.')
}

function takeBack(change: Change): void {
  const { text, undo } = change
  if (undo === 'no undo') sayFailure(`The last change cannot be undone: ${text}`)
  else {
    changes.drop(change)
    set(toasts.filter((each) => each.change !== change))
    void tellIfNotUndone(undo)
  }
}

/** Whoever undoes may be on another page by then: nobody else would say it. */
async function tellIfNotUndone(undo: () => unknown): Promise<void> {
  try {
    await undo()
  } catch (error) {
    sayFailure(`Not undone: ${asProblem(error).message}`)
  }
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => toasts)
  return (
    <div className="toasts" role="status">
      {shown.map((toast) => (
        <OneToast key={toast.id} toast={toast} />
      ))}
    </div>
  )
}

function OneToast({ toast }: { toast: Toast }) {
  const { change, failed } = toast
  const canUndo = change !== undefined && change.undo !== 'no undo'
  useEffect(() => {
    if (failed) return
    const timer = setTimeout(() => close(toast), canUndo ? undoneWithinMs : 5_000)
    return () => clearTimeout(timer)
  }, [toast, canUndo, failed])
  return (
    <div className="toast fade" role={failed ? 'alert' : undefined}>
      <span>{plainly(toast.text)}</span>
      {canUndo && (
        <Button
          onClick={() => {
            returnToList('.toast')
            takeBack(change)
          }}
        >
          Undo {changes.last() === change && <kbd>z</kbd>}
        </Button>
      )}
      <Button
        look="icon"
        aria-label="Close message"
        onClick={() => {
          returnToList('.toast')
          close(toast)
        }}
      >
        ×
      </Button>
    </div>
  )
}

function close(toast: Toast): void {
  set(toasts.filter((each) => each !== toast))
}
