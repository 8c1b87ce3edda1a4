import type { Query } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { queryClient } from '../../api/ask.ts'
import { call } from '../../api/call.ts'
import type { Input, OperationId } from '../../api/contracts.ts'
import { Button } from '../../ui/button.tsx'
import { usePlace } from '../address/location.ts'
import { useDeployment } from '../deployment.ts'
import { isTouched, newsIn, newWords } from './live-names.ts'
import { openLive } from './live-stream.ts'
import { OutOfDate, readFailedAgain } from './out-of-date.tsx'

type News = { key: string; id: string; count: number }
type Paged = { pages: unknown[] }

/**
 * Reads again what has changed. Lists stay as they are, so that nothing moves under the pointer: what is new in them is
 * announced. What somebody may be editing is left alone; the server notices if two change the same.
 */
export function Live() {
  const { id: deploymentId } = useDeployment()
  const { path } = usePlace()
  const [news, setNews] = useState<readonly News[]>([])
  useEffect(() => {
    const stop = new AbortController()
    const heard = (names: readonly string[]) => {
      const touched = queryClient
        .getQueryCache()
        .findAll({ type: 'active', predicate: ({ queryKey }) => isTouched(String(queryKey[0]), names) })
      for (const query of touched) {
        if (query.queryKey[2] === 'pages') void look(query, stop.signal, setNews)
        else if (query.queryKey[2] !== 'tagged')
          void queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true })
      }
    }
    const close = openLive(deploymentId, heard, readFailedAgain)
    return () => {
      stop.abort()
      close()
    }
  }, [deploymentId])
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has other news
  useEffect(() => setNews([]), [path])
  const here = news.filter(({ key }) => queryClient.getQueryCache().get(key)?.isActive())
  const [first] = here
  const show = () => {
    setNews([])
    for (const { key } of here) {
      const query = queryClient.getQueryCache().get(key)
      if (query) void queryClient.invalidateQueries({ queryKey: query.queryKey, exact: true })
    }
  }
  return (
    <div className="live" role="status">
      <OutOfDate />
      {first && (
        <span className="live-note fade">
          {first.count > 0 ? newWords(first.id, first.count) : 'The list has changed'}
          <Button onClick={show}>Show</Button>
        </span>
      )}
    </div>
  )
}

/** Asks for the first page once more, without putting it on screen. */
async function look(
  query: Query,
  signal: AbortSignal,
  tell: (change: (news: readonly News[]) => readonly News[]) => void,
): Promise<void> {
  const [id, input] = query.queryKey as [OperationId, Input<OperationId>]
  const shown = query.state.data as Paged | undefined
  if (!shown) return
  const fresh = await call(id, input, { signal }).catch(() => undefined)
  if (fresh === undefined || query.state.data !== shown) return
  const key = query.queryHash
  const count = newsIn(shown.pages, fresh)
  tell((news) => [...news.filter((each) => each.key !== key), ...(count === undefined ? [] : [{ key, id, count }])])
}
