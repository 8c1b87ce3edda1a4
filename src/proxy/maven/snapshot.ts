import { timeIn } from './metadata.ts'

/** Said where a snapshot is refused because its age is not known. */
export const ageless = 'Neither the repository nor a maven-metadata.xml says when this snapshot was built.'

export function isSnapshot(version: string): boolean {
  return version.endsWith('-SNAPSHOT')
}

/** The build that a file of a snapshot is of, where its name says one: `2.0-20260101.120000-3`. */
export function buildOf(path: string): string | undefined {
  const [artifact = '', version = '', file = ''] = path.split('/').slice(-3)
  if (!isSnapshot(version)) return undefined
  const base = version.slice(0, -'SNAPSHOT'.length)
  const [stamp] = /^\d{8}\.\d{6}-\d+(?=[.-])/.exec(file.slice(`${artifact}-${base}`.length)) ?? []
  return stamp && base + stamp
}

/** When a file of a snapshot was built, where its name says it: `left-2.0-20260101.120000-3.jar`. */
export function builtAt(path: string): Date | undefined {
  const [artifact = '', version = '', file = ''] = path.split('/').slice(-3)
  const build = file.slice(`${artifact}-${version}`.length - 'SNAPSHOT'.length)
  const [, day, time] = /^(\d{8})\.(\d{6})-\d+[.-]/.exec(build) ?? []
  return day && time ? timeIn(day + time) : undefined
}

/** The metadata of the snapshot that a file belongs to. */
export function metadataBeside(path: string): string {
  return `${path.slice(0, path.lastIndexOf('/'))}/maven-metadata.xml`
}

export function laterOf(one: Date | undefined, other: Date | undefined): Date | undefined {
  return one && other ? new Date(Math.max(one.getTime(), other.getTime())) : (one ?? other)
}
