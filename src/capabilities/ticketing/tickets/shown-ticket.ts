import { withVersion } from '../../../kernel/contract/etag.ts'
import type { Ticket } from './ticket-contract.ts'
import type { TicketRow } from './ticket-store.ts'

const states = {
  creating: 'TICKET_STATE_CREATING',
  ready: 'TICKET_STATE_READY',
  failed: 'TICKET_STATE_FAILED',
} as const
const transitions = {
  none: 'TICKET_TRANSITION_NONE',
  due: 'TICKET_TRANSITION_DUE',
  fired: 'TICKET_TRANSITION_FIRED',
  failed: 'TICKET_TRANSITION_FAILED',
} as const

export function toTicket(row: TicketRow): Ticket {
  const ticket = {
    id: row.id,
    instanceId: row.instanceId,
    state: states[row.state],
    detail: row.detail,
    key: row.key,
    url: row.key ? `${row.url}/browse/${row.key}` : '',
    summary: row.summary,
    statusName: row.statusName,
    isClosed: row.isClosed,
    closedAt: row.closedAt?.toISOString() ?? null,
    statusSeenAt: row.statusSeenAt?.toISOString() ?? null,
    transition: transitions[row.transition],
    transitionDetail: row.transitionDetail,
    findingIds: row.findingIds,
    issueIds: row.issueIds,
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
  }
  return withVersion(ticket, row.version)
}
