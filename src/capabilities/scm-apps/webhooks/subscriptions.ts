/** The events a DevOps service tells us of. */
export const eventTypes = ['git.push', 'git.pullrequest.created', 'git.pullrequest.updated'] as const

/** A subscription as the DevOps service lists it; what we do not look at is left out. */
export type Subscription = { id: string; eventType: string; url: string; projectId: string; live: boolean }

export type Known = { url: string; knownIds: readonly string[] }
export type WantedSubscription = Known & { projectId: string }

export type Plan = { keep: string[]; create: string[]; remove: string[] }

/** Those with our address, and those we remember: the address may have changed since. */
export function ourSubscriptions(existing: readonly Subscription[], { url, knownIds }: Known): Subscription[] {
  return existing.filter((each) => each.url === url || knownIds.includes(each.id))
}

/** What to do so that exactly one live subscription per event leads to us, whatever an earlier attempt left. */
export function planSubscriptions(existing: readonly Subscription[], wanted: WantedSubscription): Plan {
  const ours = ourSubscriptions(existing, wanted)
  const plan: Plan = { keep: [], create: [], remove: [] }
  for (const eventType of eventTypes) {
    const fitting = ours.find(
      (each) =>
        each.eventType === eventType && each.url === wanted.url && each.projectId === wanted.projectId && each.live,
    )
    if (fitting) plan.keep.push(fitting.id)
    else plan.create.push(eventType)
  }
  plan.remove = ours.map(({ id }) => id).filter((id) => !plan.keep.includes(id))
  return plan
}
