import type { NpmPackage } from '../../src/sandbox/registries/npm-registry.ts'
import type { PythonPackage } from '../../src/sandbox/registries/pypi-registry.ts'

type Dated<T extends { name: string; version: string }> = Omit<T, 'name'> & { publishedAt: string }
/** What a registry said of a release. Its archive is a harmless one. */
export type Release = Dated<NpmPackage> & Pick<PythonPackage, 'isSource' | 'isAttested'>

/** An attack on a package, as the public reports have it. */
export type Incident = {
  title: string
  /** How its code came to run. */
  ran: string
  ecosystem: 'npm' | 'pypi' | 'cargo'
  name: string
  /** The releases before it; the last is what people were using. */
  before: readonly Release[]
  attack: readonly Release[]
  /** When the registry took it away, or when the last of its versions was gone. */
  removedAt: string
  /** The first release after it that was harmless. */
  after: Release & { /** There was none, or none is known. */ isInvented?: true }
  /** Other packages that have a part in it. */
  others?: readonly (Release & { name: string })[]
  /** What the recommended rules say of every attacking version, and for how many hours they hold it. */
  held: { because: RegExp; hours: number }
  /** The same of the harmless release. */
  afterwards: { because: RegExp; hours: number }
  /** Where the reports are. */
  sources: readonly string[]
}

export const held = {
  byAge: { because: /^Versions younger than 24 hours are held back/, hours: 24 },
  byScript: { because: /^It gains an install script/, hours: 168 },
  byTrust: { because: /^It was published without/, hours: 168 },
  byExotic: { because: /^It gains a dependency that does not come from a registry/, hours: 168 },
  byYoungDependency: { because: /^It gains the dependency .*older than this release/, hours: 168 },
  bySize: { because: /^It is .* KiB large/, hours: 72 },
} as const
