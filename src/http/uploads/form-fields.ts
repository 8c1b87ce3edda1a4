import { isUtf8 } from 'node:buffer'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Part } from './multipart.ts'

const mostFields = 64

/** Collects the parts of a form that are texts, in any order. A name that comes more than once has all its texts. */
export function createFields(read: (part: Part) => Promise<Buffer>) {
  const fields = new Map<string, string | string[]>()
  let count = 0

  async function add(part: Part): Promise<void> {
    if (++count > mostFields) throw new Fault('payload_too_large', `A form may have at most ${mostFields} fields.`)
    const bytes = await read(part)
    if (!isUtf8(bytes)) {
      throw new Fault('malformed_request', `The field '${part.name.slice(0, 200)}' is not valid UTF-8.`)
    }
    const known = fields.get(part.name)
    const text = bytes.toString('utf8')
    fields.set(part.name, known === undefined ? text : [known, text].flat())
  }

  return { add, all: () => Object.fromEntries(fields) }
}
