import { useState } from 'react'

/** The version that a form is opened with: freshly read, and then kept, whatever is read again while it is open. */
export function useOpened<Version>(asked: { data: Version | undefined; isFetching: boolean }): Version | undefined {
  const [opened, setOpened] = useState<Version>()
  if (opened !== undefined || asked.data === undefined || asked.isFetching) return opened
  setOpened(asked.data)
  return asked.data
}

/**
 * The version that a form in a page begins with. It follows what is read again until something is typed; from then on what
 * was typed stays, and is saved over the version that the person saw.
 */
export function useBegun<Version extends { etag: string | undefined }>(now: Version) {
  const [begun, setBegun] = useState(now)
  const [isTyped, setTyped] = useState(false)
  const isBehind = !isTyped && begun.etag !== now.etag
  if (isBehind) setBegun(now)
  return { begun: isBehind ? now : begun, isTyped, typed: () => setTyped(true), settled: () => setTyped(false) }
}
