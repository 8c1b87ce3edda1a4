/** RFC 9457, as Gatehouse sends it, or what stands in its place where no answer came. */
export type ProblemDocument = {
  status: number
  code: string
  title: string
  detail: string
  requestId: string
  errors: { pointer: string; detail: string }[]
}

/** A refused or failed request. The message is the server's own sentence. */
export class Problem extends Error {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly requestId: string
  readonly errors: { pointer: string; detail: string }[]
  /** Seconds after which it may be tried again; nothing where the server does not say. */
  readonly retryAfter: number | undefined

  constructor(document: ProblemDocument, retryAfter?: number) {
    super(document.detail || document.title)
    this.name = 'Problem'
    this.status = document.status
    this.code = document.code
    this.title = document.title
    this.requestId = document.requestId
    this.errors = document.errors
    this.retryAfter = retryAfter
  }

  /** Whether the same request may succeed later without anybody changing anything. */
  get passes(): boolean {
    return this.status === 0 || this.status === 429 || this.status >= 500
  }

  /** What is said about a field of the body, by its JSON pointer. */
  about(pointer: string): string | undefined {
    return this.errors.find((each) => each.pointer === pointer || each.pointer.endsWith(pointer))?.detail
  }
}

export function noAnswer(): Problem {
  return new Problem({
    status: 0,
    code: 'no_answer',
    title: 'No answer',
    detail: 'The server did not answer. Is it running, and is this machine connected to it?',
    requestId: '',
    errors: [],
  })
}

/** Reads whatever came back: also what is no problem document, for example from a proxy in between. */
export function problemFrom(status: number, text: string, headers: { get(name: string): string | null }): Problem {
  let given: Partial<ProblemDocument> = {}
  try {
    const parsed: unknown = JSON.parse(text)
    if (typeof parsed === 'object' && parsed !== null) given = parsed
  } catch {
    // Not from Gatehouse itself; its status says enough.
  }
  const word = (value: unknown): string => (typeof value === 'string' ? value : '')
  const document: ProblemDocument = {
    status,
    code: word(given.code) || `http_${status}`,
    title: word(given.title) || `The server answered ${status}`,
    detail: word(given.detail) || `The server answered with status ${status} and no explanation.`,
    requestId: word(given.requestId) || headers.get('x-request-id') || '',
    errors: Array.isArray(given.errors) ? given.errors : [],
  }
  return new Problem(document, secondsOf(headers.get('retry-after')))
}

function secondsOf(header: string | null): number | undefined {
  const seconds = Number(header)
  return header !== null && header !== '' && Number.isFinite(seconds) && seconds >= 0
    ? Math.min(seconds, 3_600)
    : undefined
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error
  const detail = error instanceof Error ? error.message : String(error)
  return new Problem({ status: -1, code: 'console', title: 'The console failed', detail, requestId: '', errors: [] })
}
