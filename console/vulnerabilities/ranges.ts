type Event = { introduced: string; fixed: string; lastAffected: string; limit: string }

/** `from 4.0.0 below 4.17.21`: what the events of a range say. */
export function rangeSentences(events: readonly Event[]): string[] {
  const said: string[] = []
  let from: string | undefined
  const close = (end: string) => {
    said.push([from && from !== '0' ? `from ${from}` : '', end].filter(Boolean).join(' '))
    from = undefined
  }
  for (const event of events) {
    if (event.introduced) {
      if (from !== undefined) close('')
      from = event.introduced
    } else if (event.fixed) close(`below ${event.fixed}`)
    else if (event.lastAffected) close(`up to ${event.lastAffected}`)
    else if (event.limit) close(`below ${event.limit}`)
  }
  if (from !== undefined) said.push(from === '0' ? 'every version' : `from ${from} on`)
  return said
}
