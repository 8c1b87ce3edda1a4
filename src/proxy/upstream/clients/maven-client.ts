import { readFile, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { child, childText, parseXml, type XmlElement } from '../../../formats/xml/safe-xml.ts'
import { apart, type DefaultUpstream } from '../default-upstream.ts'
import { isWebAddress } from './run-client.ts'

export const central = 'https://repo.maven.apache.org/maven2/'

/**
 * The mirror that Maven uses for its central repository on this machine: the user's settings, then those of the installation.
 * Its address, not what Maven signs in to it with.
 */
export async function mavenClientUpstream(): Promise<DefaultUpstream> {
  const files = [join(homedir(), '.m2', 'settings.xml'), await installedSettings()]
  for (const file of files) {
    const text = file && (await readFile(file, 'utf8').catch(() => undefined))
    const mirror = text ? mirrorIn(text, process.env) : undefined
    if (!mirror) continue
    return { url: apart(mirror).url, authorization: undefined, artifactHosts: [], source: `the mirror in ${file}` }
  }
  return { url: central, authorization: undefined, artifactHosts: [], source: "Maven's own default" }
}

/** Maven, Guide to Mirror Settings: the first mirror that is for `central` counts. */
export function mirrorIn(settings: string, env: NodeJS.ProcessEnv): string | undefined {
  const parsed = parseXml(settings)
  if (!('value' in parsed) || !parsed.value) return undefined
  const mirrors = child(parsed.value, 'mirrors')?.children.filter(({ name }) => name === 'mirror') ?? []
  const filled = (element: XmlElement, name: string) =>
    childText(element, name).replace(/\$\{env\.([^}]+)\}/g, (_, variable: string) => env[variable] ?? '')
  for (const mirror of mirrors) {
    const url = filled(mirror, 'url')
    if (isForCentral(childText(mirror, 'mirrorOf')) && isWebAddress(url)) return url
  }
  return undefined
}

function isForCentral(mirrorOf: string): boolean {
  const patterns = mirrorOf.split(',').map((pattern) => pattern.trim())
  return !patterns.includes('!central') && patterns.some((one) => ['*', 'central', 'external:*'].includes(one))
}

async function installedSettings(): Promise<string | undefined> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const program = await realpath(join(folder, 'mvn')).catch(() => undefined)
    if (program) return join(dirname(dirname(program)), 'conf', 'settings.xml')
  }
  return undefined
}
