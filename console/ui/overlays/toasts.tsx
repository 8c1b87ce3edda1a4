import { useEffect, useSyncExternalStore } from 'react'
import { Button } from '../button.tsx'
import { returnToList } from '../lists/return-to-list.ts'

type Toast = { id: number; text: string; undo?: (() => void) | undefined }

const listeners = new Set<() => void>()
let toasts: readonly Toast[] = []
let next = 1

function set(change: readonly Toast[]): void {
  toasts = change
  for (const listener of listeners) listener()
}

/** Says what happened. With `undo` it can be taken back for half a minute. */
export function say(text: string, undo?: () => void): void {
  set([...toasts.slice(-2), { id: next++, text, undo }])
}

/** Undoes the newest change that can still be undone, or says that there is none. */
export function undoLast(): void {
  const last = toasts.findLast((toast) => toast.undo)
  if (!last) say('Nothing to undo: that can be done for half a minute.')
  set(toasts.filter((each) => each !== last))
  last?.undo?.()
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
  useEffect(() => {
    const timer = setTimeout(() => set(toasts.filter((each) => each.id !== toast.id)), toast.undo ? 30_000 : 5_000)
    return () => clearTimeout(timer)
  }, [toast])
  const close = () => {
    returnToList('.toast')
    set(toasts.filter((each) => each.id !== toast.id))
  }
  return (
    <div className="toast fade">
      <span>{toast.text}</span>
      {toast.undo && (
        <Button
          onClick={() => {
            close()
            toast.undo?.()
          }}
        >
          Undo <kbd>z</kbd>
        </Button>
      )}
      <Button look="icon" aria-label="Close message" onClick={close}>
        ×
      </Button>
    </div>
  )
}
