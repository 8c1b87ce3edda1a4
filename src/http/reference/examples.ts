import recorded from './examples.json' with { type: 'json' }

/** One call of an operation that a test made: what was asked, and what came back. */
export type Example = {
  /** Path and query as they were sent. */
  url: string
  /** The body; of a form, its parts by name. Not there for operations without one. */
  request?: unknown
  response: unknown
  /** Of a download. */
  mediaType?: string
}

/** By the id of the operation. */
export type Examples = Record<string, Example>

/** `npm run examples` records them. */
export const recordedExamples: Examples = recorded
