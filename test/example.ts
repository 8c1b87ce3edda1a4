import { isDeepStrictEqual } from 'node:util'
import type { Example } from '../src/http/reference/examples.ts'
import type { Endpoint } from '../src/kernel/contract/endpoint.ts'
import type { FieldError } from '../src/kernel/contract/fault.ts'
import { validate } from '../src/kernel/contract/validate.ts'
import { scrubbed } from './scrub.ts'

/** A call that a test made, and what came back. */
export type Made = { method: string; url: string; body: unknown; mediaType: string; answer: unknown }

/** What a test did, as an example: short, without secrets and without what is different on every run. */
export function exampleOf(contract: Endpoint, made: Made): Example | undefined {
  const request = asSchemaHas(contract, requestOf(contract, made))
  const example: Example = {
    url: scrubbed(made.url) as string,
    ...(request === undefined ? {} : { request }),
    response: shortened(scrubbed(made.answer)),
    ...(contract.download ? { mediaType: made.mediaType } : {}),
  }
  return problemsOf(contract, example).length === 0 ? example : undefined
}

function requestOf(contract: Endpoint, { body }: Made): unknown {
  if (body === undefined || (!contract.body && !contract.upload)) return undefined
  if (contract.takesForm && typeof body === 'string')
    return shortened(scrubbed(Object.fromEntries(new URLSearchParams(body))))
  if (contract.upload?.form === 'document') return shortText(String(body))
  const sent = contract.upload && typeof body === 'string' ? formOf(body, contract.upload.form === 'multipart') : body
  return shortened(scrubbed(typeof sent === 'string' ? parsed(sent) : sent))
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The parts of a form by their names; the content of a file is shortened. JSON is read where the form has some. */
function formOf(body: string, hasJson: boolean): Record<string, unknown> {
  const parts: Record<string, unknown> = {}
  for (const [, name, json, content] of body.matchAll(
    /name="([^"]+)"[^\r\n]*\r\n(?:content-type: (application\/json)[^\r\n]*\r\n)?(?:[^\r\n]+\r\n)*\r\n([\s\S]*?)\r\n--/gi,
  )) {
    const isJson = hasJson && (json || /^\{/.test(content!.trim()))
    parts[name!] = isJson ? (parsed(content!) ?? shortText(content!)) : shortText(content!)
  }
  return parts
}

/** Readers are kind: a number may come as a string of digits. Examples are as the schema has it. */
function asSchemaHas({ body, upload }: Endpoint, request: unknown): unknown {
  if (!body || request === undefined) return request
  if (upload?.form !== 'multipart') return validate(body, request, '', [])
  return { ...(request as object), [upload.bodyPart]: validate(body, partOf(request, upload.bodyPart), '', []) }
}

/** Where an example does not fit the contract of its operation. */
export function problemsOf(contract: Endpoint, { url, request, response, mediaType }: Example): FieldError[] {
  const errors: FieldError[] = []
  const wrong = (pointer: string, detail: string) => errors.push({ pointer, detail })
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  if (!patternOf(contract).test(pathname)) wrong('/path', `is not ${contract.path}`)
  validate(contract.params, pathValues(contract, pathname), '/path', errors)
  const query = Object.fromEntries(searchParams)
  if (contract.query) validate(contract.query, query, '/query', errors)
  else if (Object.keys(query).length > 0) wrong('/query', 'the operation takes none')
  if (contract.upload?.form === 'document' && typeof request !== 'string') wrong('/request', 'must be a text')
  if (contract.body) {
    const body = contract.upload?.form === 'multipart' ? partOf(request, contract.upload.bodyPart) : request
    validate(contract.body, body, '/request', errors)
    if (!isDeepStrictEqual(asSchemaHas(contract, request), request)) wrong('/request', 'is not written as it should be')
  }
  if (!contract.download) validate(contract.response, response, '/response', errors)
  else if (!contract.download.mediaTypes.includes(mediaType ?? '')) wrong('/mediaType', 'is not one of its types')
  return errors
}

export function patternOf({ path }: Endpoint): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:[A-Za-z]+/g, '[^/]+')}$`)
}

function partOf(form: unknown, name: string): unknown {
  return (form as Record<string, unknown> | undefined)?.[name]
}

function pathValues({ path }: Endpoint, pathname: string): Record<string, string> {
  const given = pathname.split('/').map(decodeURIComponent)
  const names = path.split('/').map((part, at) => [part, given[at]!] as const)
  return Object.fromEntries(
    names.filter(([part]) => part.startsWith(':')).map(([part, value]) => [part.slice(1), value]),
  )
}

/** The least is best: short, but with something in every list, and with a request that asks for something. */
export function worth({ request, response, url }: Example): number {
  const text = JSON.stringify([request, response])
  const empty = text.split('[]').length + text.split('{}').length
  return text.length + url.length + (empty - 2) * 150
}

const mostWords = 3
const mostCharacters = 120

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, typeof value[0] === 'object' ? 1 : mostWords).map(shortened)
  if (typeof value === 'string') return shortText(value)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, shortened(entry)]))
}

function shortText(text: string): string {
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text
}
