import { HostError } from '../hosts/host-error.ts'

/** A comment that a person deletes at this very moment is not a failure. */
export async function ignoreMissing(change: () => Promise<void>): Promise<void> {
  try {
    await change()
  } catch (error) {
    if (!(error instanceof HostError) || error.reason !== 'missing') throw error
  }
}
