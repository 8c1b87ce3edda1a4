import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnsWithin } from '../../../../test/turns.ts'
import { shortestPaths, shortestWaysFrom } from './shortest-paths.ts'

const all = { paths: 100, steps: 10_000 }

function graphOf(edges: Iterable<[from: number, to: number]>): Buffer {
  return Buffer.from(Uint32Array.from([...edges].flat()).buffer)
}

const found = async (...given: Parameters<typeof shortestPaths>) => {
  const { paths, hasMore } = await shortestPaths(...given)
  return [paths.map((path) => path.join(' ')), hasMore]
}

test('of each direct dependency the shortest path, shortest first', async () => {
  const graph = graphOf([
    [0, 3],
    [3, 4],
    [4, 5],
    [0, 4],
    [1, 5],
    [2, 6],
    [5, 0],
  ])
  assert.deepEqual(await found(graph, [0, 1, 2], new Set([5]), all), [['1 5', '0 4 5'], false])
  assert.deepEqual(await found(graph, [0, 1, 5], new Set([5]), all), [['5', '1 5', '0 4 5'], false])
  assert.deepEqual(await found(graph, [2], new Set([5]), all), [[], false])
  assert.deepEqual(await found(graph, [7], new Set([7]), all), [['7'], false])
  assert.deepEqual(await found(Buffer.alloc(0), [1], new Set([0]), all), [[], false])
})

test('no more paths, and no more steps, than are wanted', async () => {
  const fan = graphOf(Array.from({ length: 10 }, (_, at) => [at + 1, 0]))
  const directs = Array.from({ length: 10 }, (_, at) => at + 1)
  assert.deepEqual(await found(fan, directs, new Set([0]), { paths: 2, steps: 100 }), [['1 0', '2 0'], true])
  assert.deepEqual(await found(fan, directs, new Set([0]), { paths: 10, steps: 20 }), [
    directs.map((at) => `${at} 0`),
    false,
  ])
  assert.deepEqual(await found(fan, directs, new Set([0]), { paths: 10, steps: 5 }), [['1 0', '2 0'], true])
})

test('to any entry the shortest way from any direct dependency', async () => {
  const graph = graphOf([
    [0, 3],
    [3, 4],
    [4, 5],
    [1, 4],
    [5, 0],
    [6, 7],
  ])
  const to = await shortestWaysFrom(graph, [0, 1, 1, 9])
  assert.deepEqual([to(5), to(3), to(1), to(9)], [[1, 4, 5], [0, 3], [1], [9]])
  assert.deepEqual([to(7), to(2), to(100)], [undefined, undefined, undefined])
  assert.deepEqual((await shortestWaysFrom(Buffer.alloc(0), [2]))(2), [2])
})

const entries = 200_000

test('a large graph holds up nobody', async () => {
  const edges = Array.from({ length: 1_000_000 }, (_, at) => [at % entries, (at * 7 + 1) % entries] as [number, number])
  const graph = graphOf(edges)
  const directs = Array.from({ length: entries }, (_, at) => at)
  const { result, longestMs } = await turnsWithin(100, () => shortestPaths(graph, directs, new Set([entries - 1]), all))
  assert.equal(result.hasMore, true)
  assert.ok(longestMs < 100, `${longestMs} ms of the processor at once`)
  const forward = await turnsWithin(100, () => shortestWaysFrom(graph, [0]))
  assert.ok(forward.longestMs < 100, `${forward.longestMs} ms of the processor at once`)
})

test('a chain of all that there is gives no path for each of its members', async () => {
  const graph = graphOf(Array.from({ length: entries - 1 }, (_, at) => [at, at + 1]))
  const directs = Array.from({ length: entries }, (_, at) => at)
  const { result, longestMs } = await turnsWithin(100, () => shortestPaths(graph, directs, new Set([entries - 1]), all))
  assert.deepEqual([result.paths.length, result.hasMore], [100, true])
  assert.ok(longestMs < 100, `${longestMs} ms of the processor at once`)
})
