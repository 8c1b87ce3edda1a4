import { type JsonKind, type JsonPath, readJsonStream } from '../json/json-stream.ts'

/**
 * The scalars that the head of a JSON document shows at the given places, by their places ('spdxVersion',
 * 'packages/0/SPDXID'). Keys come in any order: what is at the top in one document is far down in another.
 */
export function scalarsAt(head: Uint8Array, places: readonly string[]): Map<string, unknown> {
  const select = (path: JsonPath, kind: JsonKind) => {
    if (path.length === 0) return kind === 'object' ? 'enter' : 'skip'
    const place = path.join('/')
    if (kind === 'scalar') return places.includes(place) ? 'parse' : 'skip'
    return places.some((wanted) => wanted.startsWith(`${place}/`)) ? 'enter' : 'skip'
  }
  const found = new Map<string, unknown>()
  // That the head is cut off does not matter here.
  for (const { path, value } of readJsonStream([head], select, [])) found.set(path.join('/'), value)
  return found
}
