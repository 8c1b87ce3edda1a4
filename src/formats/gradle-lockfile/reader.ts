import { basename } from 'node:path'
import type { Format, Reading } from '../format.ts'
import { createInventory, unreadable } from '../inventory.ts'
import { entryProblem, fatalProblem, quote } from '../problem.ts'
import { headText, readText } from '../text/bytes.ts'
import { eachLine, headLines } from '../text/lines.ts'

/** Up to Gradle 6 each configuration has a file of its own (`compileClasspath.lockfile`), and its lines name none. */
const locked = /^([\w.-]{1,400}):([\w.-]{1,400}):([\w.+~!-]{1,200})(?:\s*=([^=]*))?$/
const generated = '# This is a Gradle generated file for dependency locking.'

/** gradle.lockfile and buildscript-gradle.lockfile: one line per module with the configurations that use it. No graph. */
export const gradleLockfile: Format = {
  id: 'gradle-lockfile',
  title: 'Gradle dependency lock',
  fileNames: [/^(?:buildscript-)?gradle\.lockfile$/, /^[\w-]+\.lockfile$/],

  recognises(head) {
    const lines = headLines(headText(head), 60)
    const first = lines.find((line) => line.trim() !== '')
    return first?.trim() === generated || lines.some((line) => line.includes('=') && locked.test(line))
  },

  read(chunks, name): Reading {
    const source = readText(chunks)
    if (source.problem) return unreadable(source.problem)
    const inventory = createInventory('maven')
    let good = 0
    let bad = 0
    for (const { text, line } of eachLine(source.value)) {
      const written = text.trim()
      if (written === '' || written.startsWith('#')) continue
      const [, group, artifact, version, configurations] = locked.exec(written) ?? []
      if (group !== undefined && artifact !== undefined && version !== undefined) {
        good++
        const development = isForTests(configurations ?? basename(name, '.lockfile'))
        inventory.add({ name: `${group}:${artifact}`, version, development, line })
      } else if (/^empty=[^=]*$/.test(written)) good++
      else {
        bad++
        inventory.problem(entryProblem('bad-line', `Line ${line} locks no module: ${quote(written)}.`, line))
      }
    }
    if (good === 0 && bad > 0)
      return unreadable(fatalProblem('wrong-format', 'No line is one of a Gradle lockfile.', 1))
    return inventory.done()
  },
}

/** testCompileClasspath, integrationTestRuntimeClasspath: named by the source set they belong to. */
function isForTests(configurations: string): boolean {
  return configurations !== '' && configurations.split(',').every((one) => /^test|Test/.test(one.trim()))
}
