import type { Outbound } from '../../../outbound/client/client.ts'
import { explain, type JsonAnswer, requestJson } from '../../../outbound/client/json-request.ts'
import type { OutboundRequest } from '../../../outbound/client/request.ts'
import { OutboundError } from '../../../outbound/outbound-error.ts'

/** What a completion does, in this order. */
export type Step = 'certificate' | 'token' | 'organization' | 'project' | 'webhooks'

/** A step that did not work out. The message is ours: nothing the other side said is repeated, since it may repeat secrets. */
export class StepFailure extends Error {
  readonly step: Step

  constructor(step: Step, message: string) {
    super(message)
    this.name = 'StepFailure'
    this.step = step
  }
}

/** Asks the other side for one step. */
export async function askFor(step: Step, outbound: Outbound, request: OutboundRequest): Promise<JsonAnswer> {
  try {
    return await requestJson(outbound, request)
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw new StepFailure(step, explain(error, new URL(request.url).origin))
  }
}
