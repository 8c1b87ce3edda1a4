import type { Format, InventoryItem, Reading } from '../format.ts'
import { createInventory, unreadable, wrongFormat } from '../inventory.ts'
import { asText, elements, entries, isObject, member, text } from '../json/safe-json.ts'
import { entryProblem, quote } from '../problem.ts'
import { headText, readText } from '../text/bytes.ts'
import { headLines } from '../text/lines.ts'
import { parseYaml } from '../yaml/safe-yaml.ts'

/**
 * Podfile.lock of CocoaPods. Subspecs (`Firebase/Core`) are parts of one pod and counted as that pod; pods from a
 * path are the project's own and left out.
 */
export const podfileLock: Format = {
  id: 'podfile-lock',
  title: 'Podfile.lock',
  fileNames: [/^Podfile\.lock$/],

  recognises(head) {
    const first = headLines(headText(head), 100).find((line) => line.trim() !== '' && !line.startsWith('#'))
    return first !== undefined && /^PODS:(?: \[\])?\s*$/.test(first)
  },

  read(chunks): Reading {
    const source = readText(chunks)
    if (source.problem) return unreadable(source.problem)
    const document = parseYaml(source.value, { locate: (path) => path.length === 2 && path[0] === 'PODS' })
    if (document.problem) return unreadable(document.problem)
    const { value: root, lines } = document.value
    if (!isObject(root) || member(root, 'PODS') === undefined)
      return wrongFormat('The YAML has no PODS, so it is not a Podfile.lock.')
    const direct = new Set(elements(member(root, 'DEPENDENCIES')).map((one) => podName(asText(one))))
    const sources = member(root, 'EXTERNAL SOURCES')
    const inventory = createInventory('cocoapods')
    const needs: [InventoryItem, readonly unknown[]][] = []
    elements(member(root, 'PODS')).forEach((pod, at) => {
      const line = lines.get(`/PODS/${at}`) ?? 0
      // A pod that needs others is a map of one key to the list of them.
      const [written, needed] = isObject(pod) ? (entries(pod)[0] ?? ['', []]) : [asText(pod), []]
      const name = podName(written)
      const version = /\(([^()]*)\)$/.exec(written.slice(-300))?.[1]
      if (name === '' || version === undefined) {
        inventory.problem(entryProblem('bad-entry', `${quote(written)} is not a pod with a version.`, line))
        return
      }
      const from = member(sources, name)
      if (member(from, ':path') !== undefined) return
      const resolved = text(from, ':git') || text(from, ':podspec') || text(from, ':http')
      const transitivity = direct.has(name) ? 'DIRECT' : 'TRANSITIVE'
      const item = inventory.add({ name, version, transitivity, resolved, line })
      if (item) needs.push([item, elements(needed)])
    })
    for (const [item, needed] of needs) {
      for (const one of needed) {
        const name = podName(asText(one))
        if (name !== item.name) inventory.connectByName(item, name)
      }
    }
    return inventory.done()
  },
}

/** `Firebase/Core (10.0)` and `Firebase/Core (from ...)` are both of the pod Firebase. */
function podName(written: string): string {
  return written.slice(0, 600).split(' ', 1)[0]!.split('/', 1)[0]!
}
