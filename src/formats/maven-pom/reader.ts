import type { Format, Reading } from '../format.ts'
import { createInventory, type Inventory, unreadable, wrongFormat } from '../inventory.ts'
import { entryProblem, quote } from '../problem.ts'
import { headText } from '../text/bytes.ts'
import { child, childText, readXml, type XmlElement } from '../xml/safe-xml.ts'
import { xmlRootTag } from '../xml/xml-head.ts'
import { createInterpolation, type Interpolate } from './properties.ts'

/**
 * pom.xml: the dependencies a project declares, with those of profiles that are active by default. Versions come from
 * this file alone (its properties and its dependencyManagement): what a parent or an imported BOM decides is '' and
 * a problem. Of a range the lower bound is taken. It names no transitive dependencies.
 */
export const mavenPom: Format = {
  id: 'maven-pom',
  title: 'Maven pom.xml',
  fileNames: [/^pom\.xml$/, /\.pom$/],

  recognises(head) {
    const shown = headText(head)
    const root = xmlRootTag(shown)
    if (!/^project(?:\s|$)/.test(root)) return false
    return root.includes('maven.apache.org/POM') || /<(?:modelVersion|artifactId|dependencies)>/.test(shown)
  },

  read(chunks): Reading {
    const document = readXml(chunks)
    if (document.problem) return unreadable(document.problem)
    const project = document.value
    if (project.name !== 'project') return wrongFormat('The root element is not a project, so this is not a pom.xml.')
    const profiles = childrenOf(child(project, 'profiles'), 'profile').filter(isActive)
    const interpolate = createInterpolation(project, profiles)
    const managed = new Map<string, XmlElement>()
    for (const holder of [project, ...profiles]) {
      for (const dependency of childrenOf(child(child(holder, 'dependencyManagement'), 'dependencies'), 'dependency')) {
        const name = nameOf(dependency, interpolate)
        if (name && childText(dependency, 'version') && !managed.has(name)) managed.set(name, dependency)
      }
    }
    const inventory = createInventory('maven')
    const seen = new Set<string>()
    for (const holder of [project, ...profiles]) {
      for (const dependency of childrenOf(child(holder, 'dependencies'), 'dependency')) {
        addDependency(inventory, dependency, { interpolate, managed, seen })
      }
    }
    return inventory.done()
  },
}

type Context = { interpolate: Interpolate; managed: ReadonlyMap<string, XmlElement>; seen: Set<string> }

function addDependency(inventory: Inventory, dependency: XmlElement, { interpolate, managed, seen }: Context): void {
  const { line } = dependency
  const name = nameOf(dependency, interpolate)
  if (!name) {
    inventory.problem(entryProblem('missing-name', 'A dependency has no groupId or artifactId that can be read.', line))
    return
  }
  // Classifiers and types of one artifact have one version; a second version is not used by a build.
  if (seen.has(name)) return
  seen.add(name)
  const decided = managed.get(name)
  const statedOf = (part: string) => childText(dependency, part) || (decided ? childText(decided, part) : '')
  const written = statedOf('version')
  const version = pinned(interpolate(written) ?? '')
  if (version === '') {
    const where = written ? `${quote(written)} is not decided in this file` : 'it is decided by a parent or a BOM'
    inventory.problem(entryProblem('missing-version', `${quote(name)} has no version here: ${where}.`, line))
  }
  const development = (interpolate(statedOf('scope')) ?? '') === 'test'
  inventory.add({ name, version, transitivity: 'DIRECT', development, line })
}

function nameOf(dependency: XmlElement, interpolate: Interpolate): string | undefined {
  const group = interpolate(childText(dependency, 'groupId'))
  const artifact = interpolate(childText(dependency, 'artifactId'))
  return group && artifact ? `${group}:${artifact}` : undefined
}

/** `1.0`, `[1.0]`, `[1.0,2.0)`: the version, or the lower bound where it is part of the range; else, as for `LATEST`, ''. */
function pinned(version: string): string {
  if (version === 'LATEST' || version === 'RELEASE') return ''
  if (!/^[[(]/.test(version)) return version
  return /^\[([^,[\]()]+)[,\])]/.exec(version)?.[1]?.trim() ?? ''
}

function isActive(profile: XmlElement): boolean {
  const activation = child(profile, 'activation')
  return activation !== undefined && childText(activation, 'activeByDefault') === 'true'
}

function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((one) => one.name === name) ?? []
}
