import type { AutomationStates, Configuration } from '../../../src/capabilities/ticketing/contract.ts'

/** A value for a field of the tracker: JSON where it reads as an object, a list or a number, otherwise the text. */
export function fieldValue(text: string): unknown {
  if (!/^[[{]|^-?\d+(?:\.\d+)?$/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export function fieldText(value: unknown): string {
  return typeof value === 'string' ? value : value === undefined ? '' : JSON.stringify(value)
}

/** Gatehouse fills these itself. */
const own = ['project', 'issuetype', 'summary', 'description', 'labels', 'parent']

export function settable<F extends { id: string }>(fields: readonly F[]): F[] {
  return fields.filter((field) => !own.includes(field.id))
}

export const automated: Record<keyof AutomationStates, string> = {
  sast: 'Findings in code',
  sca: 'Vulnerable dependencies',
  secrets: 'Secrets',
  scaMaliciousDeps: 'Malicious dependencies',
  aiSast: 'Issues of agentic workflows',
}

export type TicketingForm = {
  projectId: string
  issueTypeId: string
  subtaskIssueTypeId: string
  transitionId: string
  fields: Record<string, string>
  automationStates: AutomationStates
}

export function configurationOf(form: TicketingForm): Configuration {
  const given = Object.entries(form.fields).filter(([, text]) => text.trim() !== '')
  return {
    projectId: form.projectId,
    issueTypeId: form.issueTypeId,
    subtaskIssueTypeId: form.subtaskIssueTypeId,
    fields: Object.fromEntries(given.map(([id, text]) => [id, fieldValue(text.trim())])),
    fixedTransitionState: form.transitionId
      ? { trackerTransitionId: form.transitionId, serviceAggregateState: 'AGGREGATE_STATE_FIXED' }
      : null,
    automationStates: form.automationStates,
  }
}
