/** Whoever asks for what is already being done waits for it and gets the same. */
export function createSingleFlight<T>() {
  const underWay = new Map<string, Promise<T>>()
  return function once(key: string, work: () => Promise<T>): Promise<T> {
    const running = underWay.get(key)
    if (running) return running
    const started = work().finally(() => underWay.delete(key))
    underWay.set(key, started)
    return started
  }
}
