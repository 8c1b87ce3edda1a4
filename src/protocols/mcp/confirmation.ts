import type { Actor } from '../../kernel/access/actor.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { CursorSeal } from '../../vault/cursor-seal.ts'
import { isObject } from './json-rpc.ts'

/** What a person is asked before something is changed. */
export type Question = {
  /** What would be done, in words that do not come from the model alone. */
  message: string
  /** Where they can do it themselves. */
  page: string
  /** The version of what is changed, as it was when they were asked; '' where it has none. */
  version: string
}

export type Confirmed = {
  answer: 'yes' | 'no' | 'cannot ask'
  /** What was changed since is not what they said yes to. */
  version: string
}

/** Asks the user of the client. Throws `InputRequired` where the answer is not there yet. */
export type Confirm = (question: Question) => Confirmed

/** The call is not over: the client asks its user and repeats it with the answer (basic/patterns/mrtr of 2026-07-28). */
export class InputRequired extends Error {
  readonly requests: object
  readonly state: string

  constructor(requests: object, state: string) {
    super('input required')
    this.name = 'InputRequired'
    this.requests = requests
    this.state = state
  }
}

type Call = { actor: Actor; tool: string; input: unknown; asksUser: boolean; params: Record<string, unknown> }

const key = 'confirm'
const validMs = 10 * 60_000

/**
 * What was asked travels with the client, sealed to the caller, the tool and its input: a yes counts for just that, for ten
 * minutes, in any process.
 */
export function createConfirmations(seal: CursorSeal, clock: Clock) {
  return function confirmationOf({ actor, tool, input, asksUser, params }: Call): Confirm {
    const binding = ['mcp-confirmation', actor.deploymentId, actor.personId, actor.tokenId, tool, input]
    return ({ message, version }) => {
      if (!asksUser) return { answer: 'cannot ask', version }
      const { requestState, inputResponses } = params
      if (requestState === undefined) {
        const params = { mode: 'form', message, requestedSchema: yesOrNo }
        const requests = { [key]: { method: 'elicitation/create', params } }
        throw new InputRequired(requests, seal.write(binding, [clock.now().getTime(), version]))
      }
      const asked = typeof requestState === 'string' ? seal.read(binding, requestState) : undefined
      const [at, askedVersion] = (asked ?? [0, '']) as [number, string]
      if (!asked || clock.now().getTime() - at > validMs) {
        throw new Fault(
          'unprocessable',
          'The confirmation is for another call, or older than ten minutes. Call again without it.',
        )
      }
      return { answer: isYes(inputResponses) ? 'yes' : 'no', version: askedVersion }
    }
  }
}

const yesOrNo = {
  type: 'object',
  properties: {
    confirm: { type: 'boolean', title: 'Do it', description: 'Yes: it is done in your name', default: false },
  },
  required: ['confirm'],
}

function isYes(responses: unknown): boolean {
  const response = isObject(responses) ? responses[key] : undefined
  return (
    isObject(response) &&
    response.action === 'accept' &&
    isObject(response.content) &&
    response.content.confirm === true
  )
}

/** What a tool answers that has changed nothing. */
export function notDone(answer: 'no' | 'cannot ask', { message, page }: Question): object {
  if (answer === 'no') return { done: false, message: 'The person said no. Nothing was changed.' }
  const how =
    'This client cannot ask its user, so nothing was changed. Show the proposal to a person; they decide on the page.'
  return { done: false, message: how, proposal: message, page }
}
