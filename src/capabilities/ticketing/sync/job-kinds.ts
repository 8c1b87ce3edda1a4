export const kinds = {
  create: 'ticketing.create',
  transition: 'ticketing.transition',
  settle: 'ticketing.settle',
  poll: 'ticketing.poll',
} as const

/** One tracker that does not answer holds up no other. */
export function laneOf(instanceId: number): string {
  return `ticketing:${instanceId}`
}
