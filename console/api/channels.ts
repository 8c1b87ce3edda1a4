import { useEffect, useState } from 'react'
import { useDeployment } from '../app/deployment.ts'
import { call } from './call.ts'
import type { Answer } from './contracts.ts'
import { asProblem, type Problem } from './problem.ts'

export type Channel = Answer<'listChatChannels'>['channels'][number]
const mostPages = 10

/** The channels of the chat service. They are asked for each time, page by page. */
export function useChannels(enabled = true) {
  const { id: deploymentId } = useDeployment()
  const [data, setData] = useState<Channel[]>()
  const [error, setError] = useState<Problem | null>(null)
  const [turn, setTurn] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another turn asks again
  useEffect(() => {
    if (!enabled) return
    const stop = new AbortController()
    const read = async () => {
      const all: Channel[] = []
      let cursor = ''
      for (let page = 0; page < mostPages; page++) {
        const query = { pageSize: 1000, ...(cursor && { cursor }) }
        const answer = await call('listChatChannels', { params: { deploymentId }, query }, { signal: stop.signal })
        all.push(...answer.channels)
        cursor = answer.cursor
        if (!cursor) break
      }
      setData(all)
    }
    read().catch((failure) => stop.signal.aborted || setError(asProblem(failure)))
    return () => stop.abort()
  }, [deploymentId, turn, enabled])
  const refetch = () => {
    setError(null)
    setTurn(turn + 1)
  }
  return { data, error, refetch }
}
