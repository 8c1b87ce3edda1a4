const longest = 1_000

/** A header that npm prints above what it says itself. Of what npm keeps in its own cache it prints no notice. */
export function noticeHeader(text: string): { 'npm-notice': string } {
  return { 'npm-notice': text.replace(/[^\x20-\x7e]+/g, '?').slice(0, longest) }
}
