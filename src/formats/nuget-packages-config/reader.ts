import type { Format, Reading } from '../format.ts'
import { createInventory, unreadable, wrongFormat } from '../inventory.ts'
import { entryProblem } from '../problem.ts'
import { headText } from '../text/bytes.ts'
import { readXml } from '../xml/safe-xml.ts'
import { xmlRootTag } from '../xml/xml-head.ts'

/**
 * packages.config of NuGet, as projects of the .NET Framework have it: every package that is installed, without telling who
 * asked for it (learn.microsoft.com/nuget/reference/packages-config).
 */
export const nugetPackagesConfig: Format = {
  id: 'nuget-packages-config',
  title: 'NuGet packages.config',
  fileNames: [/^packages(?:\.[^/]+)?\.config$/i],

  recognises(head) {
    const text = headText(head)
    if (!/^packages(?:\s|\/?$)/.test(xmlRootTag(text))) return false
    return /<package\s[^<>]*\bid\s*=/.test(text) || /<packages\s*\/>|<packages>\s*<\/packages>/.test(text)
  },

  read(chunks): Reading {
    const { value: root, problem } = readXml(chunks)
    if (problem) return unreadable(problem)
    if (root.name !== 'packages')
      return wrongFormat('The root element is not <packages>, so it is not a packages.config.')
    const inventory = createInventory('nuget')
    for (const { name: tag, attributes, line } of root.children) {
      if (tag !== 'package') continue
      const name = attributes.get('id')?.trim() ?? ''
      if (name === '') {
        inventory.problem(entryProblem('missing-name', 'A package has no id.', line))
        continue
      }
      const version = attributes.get('version')?.trim() ?? ''
      if (version === '')
        inventory.problem(entryProblem('missing-version', `The package ${name.slice(0, 100)} has no version.`, line))
      const development = attributes.get('developmentDependency')?.trim().toLowerCase() === 'true'
      inventory.add({ name, version, development, line })
    }
    return inventory.done()
  },
}
