const key = Symbol('answer')

/** An answer with a status and headers of its own, for endpoints of a protocol whose clients look at them. */
export type Answer<T> = { status: number; headers?: Record<string, string>; body?: T }

export function withAnswer<T>(answer: Answer<T>): T {
  return { [key]: answer } as T
}

export function answerIn(result: unknown): Answer<unknown> | undefined {
  return typeof result === 'object' && result !== null ? (result as { [key]?: Answer<unknown> })[key] : undefined
}
