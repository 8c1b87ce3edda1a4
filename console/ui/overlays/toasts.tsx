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

/** Says what happened. With `undo` it can be taken back for ten seconds. */
export function say(text: string, undo?: () => void): void {
  set([...toasts.slice(-2), { id: next++, text, undo }])
}

/** The newest change that can still be undone. */
export function undoLast(): boolean {
  const last = toasts.findLast((toast) => toast.undo)
  if (!last) return false
  set(toasts.filter((each) => each !== last))
  last.undo?.()
  return true
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
    const timer = setTimeout(() => set(toasts.filter((each) => each.id !== toast.id)), toast.undo ? 10_000 : 5_000)
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
