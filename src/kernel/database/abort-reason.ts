const abortedCode = '25P02'

/**
 * After a statement has failed, PostgreSQL refuses the others of its transaction. Of statements that were sent together, one that was
 * refused may be the first to be heard of. The reason is what the statement before it failed with.
 */
export function createAbortReason() {
  let reason: unknown

  async function watch<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer
    } catch (error) {
      if (!isRefusal(error)) reason ??= error
      throw error
    }
  }

  /** Known when the transaction has been rolled back: answers come in the order in which statements were sent. */
  const of = (error: unknown): unknown => (isRefusal(error) ? (reason ?? error) : error)

  return { watch, of }
}

function isRefusal(error: unknown): boolean {
  return (error as { code?: string }).code === abortedCode
}
