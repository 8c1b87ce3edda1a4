import { child, childText, type XmlElement } from '../xml/safe-xml.ts'

/** Far above any coordinate; properties that hold each other many times would otherwise grow without end. */
const maxLength = 500
const maxDepth = 20
const reference = /\$\{([^${}]{1,200})\}/g

/** Replaces `${...}` by the properties of this file; undefined where one is not in it (it comes from a parent or a profile). */
export type Interpolate = (text: string) => string | undefined

export function createInterpolation(project: XmlElement, profiles: readonly XmlElement[]): Interpolate {
  const values = new Map<string, string>()
  for (const holder of [project, ...profiles]) {
    for (const property of child(holder, 'properties')?.children ?? []) values.set(property.name, property.text)
  }
  const parent = child(project, 'parent')
  for (const part of ['groupId', 'artifactId', 'version']) {
    const inherited = parent ? childText(parent, part) : ''
    // Without its own group or version a project has its parent's (Maven model, Project inheritance).
    const own = childText(project, part) || (part === 'artifactId' ? '' : inherited)
    for (const prefix of ['project.', 'pom.', '']) if (own && !values.has(prefix + part)) values.set(prefix + part, own)
    for (const prefix of ['project.parent.', 'parent.']) if (inherited) values.set(prefix + part, inherited)
  }
  const known = new Map<string, string | undefined>()

  function lookUp(name: string, depth: number): string | undefined {
    if (known.has(name)) return known.get(name)
    const written = values.get(name)
    known.set(name, undefined) // while it is being worked out, a property that needs itself has no value
    const value = written === undefined ? undefined : interpolate(written, depth + 1)
    known.set(name, value)
    return value
  }

  function interpolate(text: string, depth: number): string | undefined {
    if (!text.includes('${')) return text
    if (text.length > maxLength || depth > maxDepth) return undefined
    let missing = false
    const result = text.replace(reference, (_, name: string) => {
      const value = lookUp(name.trim(), depth)
      missing ||= value === undefined
      return value ?? ''
    })
    return missing || result.length > maxLength || result.includes('${') ? undefined : result
  }

  return (text) => interpolate(text, 0)
}
