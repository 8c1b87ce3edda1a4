const longest = 1_000

/** What npm prints above its own words. Of what it keeps in its cache it prints no notice, so it is told to keep nothing. */
export function noticeHeaders(text: string): Record<string, string> {
  const notice = text.replace(/[^\x20-\x7e]+/g, '?').slice(0, longest)
  return { 'npm-notice': notice, 'cache-control': 'private, no-store' }
}
