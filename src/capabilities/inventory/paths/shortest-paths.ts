import { createYield } from '../../../kernel/threads/event-loop-yield.ts'
import { stride, walk, wayBack } from './graph.ts'

/**
 * For each direct dependency that leads to a target the shortest way there, shortest first. Not more than `limit.paths`, nor
 * with more than `limit.steps` in all: a file can be made so that every path goes through all of it.
 */
export async function shortestPaths(
  graph: Buffer,
  directs: readonly number[],
  targets: ReadonlySet<number>,
  limit: { paths: number; steps: number },
): Promise<{ paths: number[][]; hasMore: boolean }> {
  const breath = createYield()
  const walked = await walk(graph, 'dependents', targets, breath)
  const { distance, reached } = walked
  const isDirect = new Uint8Array(distance.length)
  for (const direct of directs) isDirect[direct] = 1
  // Nearest first, as they were reached; one more than wanted tells that there is more.
  const nearest: number[] = []
  for (let at = 0; at < reached.length && nearest.length <= limit.paths; at++) {
    if (at % stride === 0) await breath()
    if (isDirect[reached[at]!] === 1) nearest.push(reached[at]!)
  }
  nearest.sort((a, b) => distance[a]! - distance[b]! || a - b)
  const paths: number[][] = []
  let steps = 0
  for (const direct of nearest) {
    steps += distance[direct]! + 1
    if (paths.length === limit.paths || steps > limit.steps) return { paths, hasMore: true }
    paths.push(wayBack(walked, direct)!)
  }
  return { paths, hasMore: false }
}

/** The shortest way from any direct dependency to an entry, both included; undefined where the file knows none. */
export async function shortestWaysFrom(
  graph: Buffer,
  directs: readonly number[],
): Promise<(target: number) => number[] | undefined> {
  const walked = await walk(graph, 'dependencies', directs, createYield())
  return (target) => wayBack(walked, target)?.reverse()
}
