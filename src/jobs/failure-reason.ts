import { Fault } from '../kernel/contract/fault.ts'
import { Permanent, Postponed, Transient } from '../kernel/jobs/job.ts'
import { OutboundError } from '../outbound/outbound-error.ts'

const longest = 1_000
const shown = [Permanent, Transient, Postponed, OutboundError, Fault]

/** What may be shown of a failure. Messages of errors that were not made to be shown may hold anything. */
export function failureReason(error: unknown): string {
  return error instanceof Error && shown.some((one) => error instanceof one)
    ? error.message.slice(0, longest)
    : 'Something went wrong on our side; the log has the details.'
}
