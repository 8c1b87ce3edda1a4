import type { Format, Reading } from '../format.ts'
import { createInventory, unreadable, wrongFormat } from '../inventory.ts'
import { entryProblem } from '../problem.ts'
import { headText } from '../text/bytes.ts'
import { child, readXml } from '../xml/safe-xml.ts'
import { xmlRootTag } from '../xml/xml-head.ts'

/** Gradle's verification-metadata.xml: every module whose checksum the build checks. No graph, no configurations. */
export const gradleVerification: Format = {
  id: 'gradle-verification',
  title: 'Gradle verification-metadata.xml',
  fileNames: [/^verification-metadata\.xml$/],

  recognises(head) {
    return /^verification-metadata(?:\s|$)/.test(xmlRootTag(headText(head)))
  },

  read(chunks): Reading {
    const document = readXml(chunks)
    if (document.problem) return unreadable(document.problem)
    if (document.value.name !== 'verification-metadata')
      return wrongFormat('The root element is not verification-metadata.')
    const inventory = createInventory('maven')
    for (const component of child(document.value, 'components')?.children ?? []) {
      if (component.name !== 'component') continue
      const [group, artifact, version] = ['group', 'name', 'version'].map((key) => component.attributes.get(key) ?? '')
      if (!group || !artifact) {
        inventory.problem(entryProblem('missing-name', 'A component has no group or no name.', component.line))
        continue
      }
      if (!version)
        inventory.problem(entryProblem('missing-version', `${group}:${artifact} has no version.`, component.line))
      inventory.add({ name: `${group}:${artifact}`, version: version ?? '', line: component.line })
    }
    return inventory.done()
  },
}
