import type { Outbound } from '../../outbound/client.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import type { OutboundRequest } from '../../outbound/request.ts'

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

/** `body` is undefined where the answer is not a JSON object. */
export type StepAnswer = { status: number; body: Record<string, unknown> | undefined }

/** Asks the other side for one step. Redirects are not followed: both services answer where they are asked. */
export async function askFor(step: Step, outbound: Outbound, request: OutboundRequest): Promise<StepAnswer> {
  try {
    const { status, body } = await outbound.request({ ...request, maxRedirects: 0 })
    return { status, body: objectIn(body) }
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    throw new StepFailure(step, explain(error, new URL(request.url).origin))
  }
}

function explain({ reason, message }: OutboundError, origin: string): string {
  if (reason === 'too_many_redirects' || reason === 'bad_redirect') return `${origin} redirects instead of answering.`
  if (reason === 'blocked_address') return `${message} The operator can allow it with GATEHOUSE_EGRESS_ALLOW.`
  return message
}

function objectIn(body: Buffer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
