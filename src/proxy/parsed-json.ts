import { Fault, type FaultCode } from '../kernel/contract/fault.ts'
import { parseBounded } from '../kernel/text/bounded-json.ts'

/** JSON that somebody else sent. What has too much in it is refused, and what is not JSON as `broken` says. */
export function parsedJson(
  body: Buffer,
  what: string,
  broken: () => Fault,
  tooMuch: FaultCode = 'bad_upstream',
): unknown {
  let parsed: { value: unknown } | undefined
  try {
    parsed = parseBounded(body)
  } catch {
    throw broken()
  }
  if (!parsed) throw new Fault(tooMuch, `${what} has more in it than a document may have.`)
  return parsed.value
}
