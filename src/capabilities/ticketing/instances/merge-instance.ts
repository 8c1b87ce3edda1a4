import { Fault } from '../../../kernel/contract/fault.ts'
import type { Configuration, ConnectionChanges } from '../contract.ts'
import { trackerUrlProblem } from '../tracker/address.ts'
import type { AutomatedKind, InstanceRow, InstanceSettings } from './store.ts'

export const automatedKinds = ['sast', 'sca', 'secrets', 'scaMaliciousDeps', 'aiSast'] as const
const mostFieldsBytes = 32 * 1024

/** The origin of an address that can be used. */
export function usableOrigin(url: string): string {
  const detail = trackerUrlProblem(url)
  if (!detail) return new URL(url).origin
  throw new Fault('validation_failed', 'The address cannot be used; errors says why.', {
    errors: [{ pointer: '/url', detail }],
  })
}

/** What a connection becomes; what a request leaves out stays. */
export function mergeConnection(stored: { url: string; email: string }, sent: ConnectionChanges) {
  const url = sent.url === undefined ? stored.url : usableOrigin(sent.url)
  const email = sent.email ?? stored.email
  if (sent.apiToken !== undefined) return { url, email }
  // Otherwise the stored token could be pointed at somebody else's server.
  const errors = [
    ...(url === stored.url ? [] : [{ pointer: '/url', detail: `the stored token is for ${stored.url}` }]),
    ...(email === stored.email ? [] : [{ pointer: '/email', detail: 'the stored token is of another account' }]),
  ]
  if (errors.length === 0) return { url, email }
  const message = 'To use another site or account, send apiToken in the same request. Nothing was changed.'
  throw new Fault('unprocessable', message, { errors })
}

/** What the settings become; what a request leaves out stays. */
export function mergeSettings(stored: InstanceRow, sent: Configuration): InstanceSettings {
  const { fixedTransitionState: transition, automationStates: states = {} } = sent
  if (JSON.stringify(sent.fields ?? {}).length > mostFieldsBytes) {
    throw new Fault('validation_failed', 'The fields are too large.', {
      errors: [{ pointer: '/fields', detail: `must have at most ${mostFieldsBytes} characters` }],
    })
  }
  const isAutomated = (kind: AutomatedKind) => states[kind] ?? stored.automated.includes(kind)
  return {
    projectId: sent.projectId ?? stored.projectId,
    issueTypeId: sent.issueTypeId ?? stored.issueTypeId,
    fields: sent.fields ?? stored.fields,
    subtaskIssueTypeId: sent.subtaskIssueTypeId ?? stored.subtaskIssueTypeId,
    fixedTransitionId: transition === undefined ? stored.fixedTransitionId : (transition?.trackerTransitionId ?? ''),
    automated: automatedKinds.filter(isAutomated),
  }
}
