import { useLayoutEffect, useRef } from 'react'
import { storedAppearance } from '../appearance.ts'

type KeyLike = { key: string; ctrlKey: boolean; metaKey: boolean; altKey: boolean; shiftKey: boolean }

/** `Ctrl+k`, `Shift+Enter`, `j`, `?`: how a pressed key is written in a table of keys. */
export function keyName({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyLike): string {
  const letter = key.length === 1
  const held = [(ctrlKey || metaKey) && 'Ctrl', altKey && 'Alt', shiftKey && (!letter || /[A-Z]/.test(key)) && 'Shift']
  return [...held.filter(Boolean), letter ? key.toLowerCase() : key].join('+')
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false
  const tag = target.tagName
  const input = tag === 'INPUT' && !['checkbox', 'radio', 'button'].includes((target as HTMLInputElement).type)
  return input || tag === 'TEXTAREA' || tag === 'SELECT' || target.isContentEditable
}

function isCovered(): boolean {
  return document.querySelector('dialog[open], [popover]:popover-open') !== null
}

export type Keys = Record<string, (event: KeyboardEvent) => void>

/** Keys of the page, while nobody types and nothing floats above it. Letters alone can be switched off (WCAG 2.1.4). */
export function useKeys(keys: Keys, active = true): void {
  const latest = useRef(keys)
  latest.current = keys
  // With what it belongs to, not after it: what can be seen can be used.
  useLayoutEffect(() => {
    if (!active) return
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || isTyping(event.target) || isCovered()) return
      const name = keyName(event)
      const plain = event.key.length === 1 && !event.ctrlKey && !event.metaKey
      if (plain && storedAppearance().keys === 'off') return
      const run = latest.current[name]
      if (!run) return
      event.preventDefault()
      run(event)
    }
    window.addEventListener('keydown', pressed)
    return () => window.removeEventListener('keydown', pressed)
  }, [active])
}
