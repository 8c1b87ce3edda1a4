import type { FastifyReply } from 'fastify'
import type { TSchema } from 'typebox'
import { createYield } from '../../kernel/threads/event-loop-yield.ts'

/** Characters of text beyond which an answer is not written at once. */
const largeLength = 256 * 1_024
const chunkLength = 65_536

type Shape = { properties?: Record<string, TSchema & { items?: TSchema }> }
type Answer = Record<string, unknown>

/** Whether an answer is not written in a moment. */
export function isLarge(schema: TSchema, answer: unknown): boolean {
  return (schema as Shape).properties !== undefined && lengthOf(answer, 0) >= largeLength
}

/** A large answer as its bytes, written entry by entry with turns for others in between. */
export async function writeLarge(schema: TSchema, answer: unknown, reply: FastifyReply): Promise<Buffer> {
  const { properties = {} } = schema as Shape
  const breath = createYield()
  const chunks: Buffer[] = []
  let text = ''
  const write = (more: string) => {
    text += more
    if (text.length < chunkLength) return
    chunks.push(Buffer.from(text))
    text = ''
  }
  let separator = '{'
  // By the contract, which leaves out what is not in it.
  const textOf = (part: TSchema) => reply.compileSerializationSchema(part as Record<string, unknown>)
  for (const [name, part] of Object.entries(properties)) {
    const value = (answer as Answer)[name]
    if (value === undefined) continue
    write(`${separator}${JSON.stringify(name)}:`)
    separator = ','
    if (!part.items || !Array.isArray(value)) {
      write(textOf(part)(value as Answer))
      continue
    }
    const entryOf = textOf(part.items)
    for (const [at, entry] of value.entries()) {
      await breath()
      write((at === 0 ? '[' : ',') + entryOf(entry))
    }
    write(value.length === 0 ? '[]' : ']')
  }
  write(separator === '{' ? '{}' : '}')
  chunks.push(Buffer.from(text))
  return Buffer.concat(chunks)
}

/** Of the text in a value, counted until it is large. */
function lengthOf(value: unknown, before: number): number {
  if (typeof value === 'string') return before + value.length
  if (typeof value !== 'object' || value === null) return before + 1
  let length = before
  // Going over the places of an array by `in` makes a text of each.
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && length < largeLength; at++) length = lengthOf(value[at], length + 1)
    return length
  }
  for (const name in value) {
    if (length >= largeLength) break
    length = lengthOf((value as Answer)[name], length + 1)
  }
  return length
}
