import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What is known of a release beyond its version, time and dependencies, as far as the registry told it. */
export type RecordedMore = {
  /** The script that runs when it is installed. */
  script?: string
  /** Who published it: a number within the package, because names of people are not needed. */
  publisher?: number
  /** 1: with provenance, 2: by a trusted publisher. */
  trust?: number
  unpackedKiB?: number
}
/** Version, time, place of its dependencies among the package's sets. */
export type RecordedNpmRelease = [version: string, at: string, dependencies: number, more?: RecordedMore]
/** Dependencies by name; one that is not from a registry as `name@where`. */
export type RecordedNpmPackage = { sets: string[][]; releases: RecordedNpmRelease[] }
/** Version, time of its first file, KiB of its largest, and what is unusual: `s` no wheel, `y` yanked. */
export type RecordedPypiRelease = [version: string, at: string, kib: number, marks?: string]

export type RecordedReleases = {
  recordedOn: string
  /** Releases since then are judged; those before are what they are compared with. */
  judgedSince: string
  npm: Record<string, RecordedNpmPackage>
  /** When packages came to be that others began to depend on. */
  born: Record<string, string>
  pypi: Record<string, RecordedPypiRelease[]>
}

export const recordedFile = join(import.meta.dirname, 'ordinary-releases.json')

export function readRecorded(): RecordedReleases {
  return JSON.parse(readFileSync(recordedFile, 'utf8'))
}
