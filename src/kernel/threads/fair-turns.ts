/**
 * For short work that many may ask for at once: of all who wait, one goes on in each turn of the event loop, so that whoever has
 * something else to do is between them. Keys take turns.
 */
export function createFairTurns<Key>() {
  const queues = new Map<Key, (() => void)[]>()

  function wait(key: Key): Promise<void> {
    return new Promise((begin) => {
      if (queues.size === 0) setImmediate(next)
      const queue = queues.get(key)
      if (queue) queue.push(begin)
      else queues.set(key, [begin])
    })
  }

  function next(): void {
    const [key, queue] = queues.entries().next().value!
    const begin = queue.shift()!
    queues.delete(key)
    if (queue.length > 0) queues.set(key, queue)
    if (queues.size > 0) setImmediate(next)
    begin()
  }

  return { wait }
}
