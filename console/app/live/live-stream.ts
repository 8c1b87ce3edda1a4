const mostIdleMs = 30 * 60_000
const retryMs = 60_000
/** For whoever has heard nothing yet: after an id so old the server names everything. */
const longAgo = '0-0'

/** Hears what changes, and that the server answers, at first or again. Where it cannot connect, there is simply nothing to hear. */
export function openLive(
  deploymentId: number,
  heard: (names: readonly string[]) => void,
  answers: () => void,
): () => void {
  let source: EventSource | undefined
  let lastId = ''
  let retry: ReturnType<typeof setTimeout> | undefined
  let usedAt = Date.now()

  function connect(): void {
    clearTimeout(retry)
    if (source || document.hidden) return
    const after = lastId && `?lastEventId=${encodeURIComponent(lastId)}`
    source = new EventSource(`/api/events/v1/deployments/${deploymentId}/stream${after}`)
    source.addEventListener('open', answers)
    source.addEventListener('changed', (event) => {
      // What nobody looks at is not read either, so that it does not pass for use of the session. After the pause it is told again.
      if (Date.now() - usedAt > mostIdleMs) {
        lastId ||= longAgo
        return pause()
      }
      lastId = event.lastEventId
      heard((JSON.parse(event.data) as { changed: string[] }).changed)
    })
    source.addEventListener('error', () => {
      // Otherwise the browser tries again by itself.
      if (source?.readyState !== EventSource.CLOSED) return
      pause()
      retry = setTimeout(connect, retryMs)
    })
  }

  /** A hidden window holds no connection: browsers have few for one server. */
  function pause(): void {
    clearTimeout(retry)
    source?.close()
    source = undefined
  }

  const turn = () => (document.hidden ? pause() : connect())
  const used = () => {
    usedAt = Date.now()
    connect()
  }
  document.addEventListener('visibilitychange', turn)
  addEventListener('pointerdown', used)
  addEventListener('keydown', used)
  connect()
  return () => {
    pause()
    document.removeEventListener('visibilitychange', turn)
    removeEventListener('pointerdown', used)
    removeEventListener('keydown', used)
  }
}
