import { resolve } from 'node:path'

/** Where a feed is: a folder or file of this machine, or a URL. */
export type FeedLocation = { kind: 'local'; path: string } | { kind: 'url'; url: string }

/** Undefined where it is a URL that is not used: advisories decide what comes in, so nobody on the way may change them. */
export function parseFeedLocation(text: string): FeedLocation | undefined {
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return { kind: 'local', path: resolve(text) }
  const url = URL.parse(text)
  const isLocal = url?.protocol === 'http:' && /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(url.hostname)
  if (!url || (url.protocol !== 'https:' && !isLocal) || url.username || url.password || url.hash) return undefined
  return { kind: 'url', url: url.href }
}

/** How the feed is called in the database and in every answer. */
export function feedLocationName(place: FeedLocation): string {
  return place.kind === 'local' ? place.path : place.url
}
