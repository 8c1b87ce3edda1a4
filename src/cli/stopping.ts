/** Also when the launcher that started us goes away: nobody would be left to stop us. */
export function whenAskedToStop(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => resolve())
    if (process.send) process.on('disconnect', () => resolve())
  })
}
