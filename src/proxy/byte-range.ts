import type { RegistryRequest } from '../kernel/contract/adapters/registry-adapter.ts'

/** From one byte to another, both included. */
export type ByteRange = { start: number; end: number }

/**
 * The part of an artifact that a client asks for (RFC 9110 §14.2): uv and pip read the metadata at the end of a wheel this
 * way, and broken downloads go on where they stopped. Undefined where it is to have the whole: that is right for whatever
 * is not one plain range of a GET, and for an `If-Range` that names something else.
 */
export function rangeIn(
  { method, headers }: Pick<RegistryRequest, 'method' | 'headers'>,
  etag: string,
  bytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range ?? '') ?? []
  const isOther = headers['if-range'] !== undefined && headers['if-range'] !== etag
  if (method !== 'GET' || isOther || first + last === '') return undefined
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  return start > end ? 'unsatisfiable' : { start, end }
}
