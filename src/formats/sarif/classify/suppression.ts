import type { Suppression } from '../finding.ts'
import { list, record, text } from '../log/loose.ts'

/** SARIF §3.27.23 and §3.35. A status that is not written means 'accepted'. */
export function suppressionsOf(value: unknown): Suppression[] {
  return list(value)
    .slice(0, 20)
    .map((one) => {
      const { kind, status, justification } = record(one)
      return {
        kind: kind === 'external' ? 'external' : 'inSource',
        status: status === 'underReview' || status === 'rejected' ? status : 'accepted',
        justification: text(justification, 1000).trim(),
      }
    })
}

/** One open or rejected request to suppress is enough for the result to count. */
export function isSuppressed(suppressions: readonly Suppression[]): boolean {
  return suppressions.length > 0 && suppressions.every(({ status }) => status === 'accepted')
}
