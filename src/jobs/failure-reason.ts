import { Fault } from '../kernel/contract/fault.ts'
import { Permanent, Transient } from '../kernel/jobs/job.ts'
import { OutboundError } from '../outbound/outbound-error.ts'

const longest = 1_000

/** What may be shown of a failure. Messages of errors that were not made to be shown may hold anything. */
export function failureReason(error: unknown): string {
  const isShown =
    error instanceof Permanent || error instanceof Transient || error instanceof OutboundError || error instanceof Fault
  return isShown ? error.message.slice(0, longest) : 'Something went wrong on our side; the log has the details.'
}
