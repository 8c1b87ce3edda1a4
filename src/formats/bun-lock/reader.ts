import { withoutCredentials } from '../address.ts'
import type { Format, InventoryItem, Reading } from '../format.ts'
import { blankComments, parseJsonc } from '../json/jsonc.ts'
import { elements, entries, isObject, jsonPointer, member, outline } from '../json/safe-json.ts'
import { isLocal, isRegistryVersion, isRuntime, splitNameAt, unusable } from '../npm-specifier.ts'
import { createTreeNode, type TreeNode, treeNodeAt } from '../package-tree.ts'
import { createProblems, entryProblem, fatalProblem, quote } from '../problem.ts'
import { decodeText, headText, joinChunks } from '../text/bytes.ts'
import { connect, type Installed } from './graph.ts'

const binaryStart = '#!/usr/bin/env bun\nbun-lockfile-format-v'
const maxLevels = 64

/** bun.lock, the text lockfile of Bun from 1.2 on: JSON with trailing commas. */
export const bunLock: Format = {
  id: 'bun-lock',
  title: 'bun.lock',
  fileNames: [/^bun\.lockb?$/],

  recognises(head) {
    const start = headText(head)
    if (start.startsWith(binaryStart)) return true
    const members = outline(blankComments(start), 1)
    return members.has('/lockfileVersion') && members.has('/workspaces')
  },

  read(chunks): Reading {
    const bytes = joinChunks(chunks)
    if (bytes.problem) return { items: [], problems: [bytes.problem] }
    if (Buffer.from(bytes.value.subarray(0, binaryStart.length)).toString('latin1') === binaryStart) {
      const detail =
        'This is a binary bun.lockb. Write a text lockfile with `bun install --save-text-lockfile` and upload bun.lock.'
      return { items: [], problems: [fatalProblem('binary-lockfile', detail)] }
    }
    const source = decodeText(bytes.value)
    if (source.problem) return { items: [], problems: [source.problem] }
    const parsed = parseJsonc(source.value, { locate: (path) => path.length === 2 && path[0] === 'packages' })
    if (parsed.problem) return { items: [], problems: [parsed.problem] }
    const { value: root, lines } = parsed.value
    const isMine = isObject(root) && (member(root, 'lockfileVersion') !== undefined || entries(root).length === 0)
    if (isMine) return toReading(root, lines)
    return {
      items: [],
      problems: [fatalProblem('wrong-format', 'The JSON has no lockfileVersion, so it is not a bun.lock.')],
    }
  },
}

function toReading(root: unknown, lines: ReadonlyMap<string, number>): Reading {
  const problems = createProblems()
  const top = createTreeNode<Installed>(undefined)
  const places: TreeNode<Installed>[] = []
  for (const [key, entry] of entries(member(root, 'packages'))) {
    const pointer = jsonPointer(['packages', key.slice(0, 200)])
    const line = lines.get(jsonPointer(['packages', key])) ?? 0
    const parts = elements(entry)
    const [identity, source] = parts
    const names = splitPath(key)
    if (typeof identity !== 'string' || names.length > maxLevels) {
      problems.add(entryProblem('bad-entry', `The entry ${quote(key)} cannot be read.`, line, pointer))
      continue
    }
    const { name, rest } = splitNameAt(identity)
    let item: InventoryItem | undefined
    if (!isLocal(rest) && !isRuntime(rest)) {
      item = toItem(key, name, rest, typeof source === 'string' ? source : '', line)
      const problem = unusable(item.name, item.version, line, pointer)
      if (problem) {
        problems.add(problem)
        continue
      }
    }
    const place = treeNodeAt(top, names)
    place.content = { item, needs: parts.find(isObject) }
    places.push(place)
  }
  connect(top, places, member(root, 'workspaces'))
  return { items: places.flatMap(({ content }) => content?.item ?? []), problems: problems.list() }
}

function toItem(key: string, name: string, rest: string, source: string, line: number): InventoryItem {
  const fromRegistry = isRegistryVersion(rest)
  return {
    key,
    ecosystem: 'npm',
    name,
    version: fromRegistry ? rest : '',
    transitivity: 'UNKNOWN',
    development: false,
    licence: '',
    resolved: withoutCredentials(fromRegistry ? source : rest),
    dependsOn: [],
    line,
  }
}

/** `a/@s/b/c`: the names of the packages that hold each other. */
function splitPath(key: string): string[] {
  const names: string[] = []
  for (const part of key.split('/')) {
    const scope = names.at(-1)
    if (scope?.startsWith('@') && !scope.includes('/')) names[names.length - 1] = `${scope}/${part}`
    else names.push(part)
  }
  return names
}
