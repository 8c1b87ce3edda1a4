import { translate } from './connections/connection.ts'

const maxAttempts = 5

/** A transaction that ends by a deadlock or a serialisation failure did nothing, and is simply run again. */
export async function retryDeadlocks<T>(transaction: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await transaction()
    } catch (error) {
      if (!isRetryable(error) || attempt === maxAttempts) throw translate(error)
    }
  }
}

function isRetryable(error: unknown): boolean {
  return ['40001', '40P01'].includes((error as { code?: string }).code ?? '')
}
