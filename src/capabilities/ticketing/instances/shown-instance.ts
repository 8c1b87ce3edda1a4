import { withVersion } from '../../../kernel/contract/etag.ts'
import type { AutomationStates, OneInstance, TicketingInstance } from '../contract.ts'
import { subdomainOf } from '../tracker/address.ts'
import { automatedKinds } from './merge-instance.ts'
import type { InstanceRow } from './store.ts'

export function toInstance(row: InstanceRow): TicketingInstance {
  const states = automatedKinds.map((kind) => [kind, row.automated.includes(kind)])
  const { fixedTransitionId } = row
  return {
    id: row.id,
    isConfigured: isConfigured(row),
    isAuthRevoked: row.authRevokedAt !== null,
    instanceType: 'INSTANCE_TYPE_JIRA',
    subdomain: subdomainOf(row.url),
    projectId: row.projectId,
    issueTypeId: row.issueTypeId,
    fields: row.fields,
    automationStates: Object.fromEntries(states) as AutomationStates,
    subtaskIssueTypeId: row.subtaskIssueTypeId,
    fixedTransitionState: fixedTransitionId
      ? { trackerTransitionId: fixedTransitionId, serviceAggregateState: 'AGGREGATE_STATE_FIXED' }
      : null,
  }
}

export function toOneInstance(row: InstanceRow): OneInstance {
  return withVersion({ instance: toInstance(row), connection: { url: row.url, email: row.email } }, row.version)
}

export function isConfigured({ projectId, issueTypeId }: { projectId: string; issueTypeId: string }): boolean {
  return projectId !== '' && issueTypeId !== ''
}
