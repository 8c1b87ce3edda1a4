import type { ChatEvent } from '../../../src/capabilities/chat/messages/subscription-contract.ts'

export const eventNames: Record<ChatEvent, string> = {
  CHAT_EVENT_NEW_FINDINGS: 'new findings of a default branch',
  CHAT_EVENT_ISSUE_TRIAGED: 'issues that were triaged',
  CHAT_EVENT_SUPPLY_CHAIN_INCIDENT: 'packages in use that turned out to be malicious',
  CHAT_EVENT_SCAN_BLOCKED: 'scans that an automation blocked',
  CHAT_EVENT_TOKENS_EXPIRE: 'tokens of service accounts that expire soon',
  CHAT_EVENT_FIREWALL_REFUSED: 'packages that the firewall refuses, each once a day',
  CHAT_EVENT_FIREWALL_EXCEPTION: 'exceptions that are asked for, decided or ended',
}

const place = 'gatehouse-chat-install'
type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>

/** The chat service sends the browser back without saying for which deployment it left: this tab remembers. */
export function rememberInstall(store: Store, slug: string): void {
  store.setItem(place, slug)
}

export function takeInstall(store: Store): string | undefined {
  const slug = store.getItem(place) ?? undefined
  store.removeItem(place)
  return slug
}

export type Callback = { state: string; code: string } | { error: string }

/** What came with the redirect of the chat service. */
export function readCallback(pairs: readonly (readonly [string, string])[]): Callback {
  const first = (name: string) => pairs.find(([each]) => each === name)?.[1] ?? ''
  const state = first('state')
  const code = first('code')
  if (state && code) return { state, code }
  return { error: first('error') || 'The address has no code. Start the installation again.' }
}
