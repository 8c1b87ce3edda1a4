import { type Algorithm, digestEnding } from './checksum.ts'

/** What a client of a Maven repository asks for, its path checked part by part. */
export type MavenRoute =
  | { kind: 'metadata'; path: string; name: string | undefined; owned: string; checksum: Algorithm | undefined }
  | { kind: 'file'; path: string; name: string; version: string; checksum: Algorithm | undefined }
  | { kind: 'unknown' }

const part = /^[A-Za-z0-9_][A-Za-z0-9._+~-]{0,200}$/
const metadataName = 'maven-metadata.xml'

/**
 * `group/as/folders/artifact/version/artifact-version.jar`, `group/as/folders/artifact/maven-metadata.xml`, and either with
 * the ending of a checksum.
 */
export function mavenRoute(sent: string): MavenRoute {
  const parts = sent.split('/').map(decoded)
  if (parts.length < 2 || parts.length > 40 || !parts.every((one) => part.test(one))) return { kind: 'unknown' }
  const checksum = digestEnding(parts.at(-1)!)
  const file = checksum ? parts.at(-1)!.slice(0, -(checksum.length + 1)) : parts.at(-1)!
  const path = [...parts.slice(0, -1), file].join('/')
  if (file === metadataName) {
    const folders = parts.slice(0, -1)
    return { kind: 'metadata', path, name: nameOf(folders), owned: ownedName(folders), checksum }
  }
  const [artifact, version] = parts.slice(-3, -1)
  const name = parts.length < 4 ? undefined : nameOf(parts.slice(0, -2))
  if (!name || !artifact || !version || !belongs(file, artifact, version)) return { kind: 'unknown' }
  return { kind: 'file', path, name, version, checksum }
}

function nameOf(folders: string[]): string | undefined {
  return folders.length < 2 ? undefined : `${folders.slice(0, -1).join('.')}:${folders.at(-1)}`
}

/** Whose metadata it is: that of a snapshot lies one folder deeper. A group of one part has no name but that. */
function ownedName(folders: string[]): string {
  const isSnapshot = folders.length > 2 && folders.at(-1)!.endsWith('-SNAPSHOT')
  const own = isSnapshot ? folders.slice(0, -1) : folders
  return nameOf(own) ?? own.join('.')
}

/** The name of a file says artifact and version once more; that of a snapshot says its time in place of `SNAPSHOT`. */
function belongs(file: string, artifact: string, version: string): boolean {
  if (isNamed(file, `${artifact}-${version}`)) return true
  const base = version.endsWith('-SNAPSHOT') ? version.slice(0, -'SNAPSHOT'.length) : undefined
  return base !== undefined && /^\d{8}\.\d{6}-\d+[.-]/.test(after(file, `${artifact}-${base}`))
}

function isNamed(file: string, stem: string): boolean {
  return /^[.-]./.test(after(file, stem))
}

function after(file: string, start: string): string {
  return file.startsWith(start) ? file.slice(start.length) : ''
}

/** What cannot be decoded, and a slash that was hidden, match no part. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
