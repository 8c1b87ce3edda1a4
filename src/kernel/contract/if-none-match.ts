/** RFC 9110 §13.1.2: weak comparison, since a proxy on the way may have packed it again. */
export function matchesEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}
