import { attestation } from './attestation/reader.ts'
import { bunLock } from './bun-lock/reader.ts'
import { cargoLock } from './cargo-lock/reader.ts'
import { composerLock } from './composer-lock/reader.ts'
import { cyclonedxJson } from './cyclonedx-json/reader.ts'
import { cyclonedxXml } from './cyclonedx-xml/reader.ts'
import { denoLock } from './deno-lock/reader.ts'
import type { Format } from './format.ts'
import { gemfileLock } from './gemfile-lock/reader.ts'
import { githubSnapshot } from './github-snapshot/reader.ts'
import { goMod } from './go-mod/reader.ts'
import { goSum } from './go-sum/reader.ts'
import { gradleLockfile } from './gradle-lockfile/reader.ts'
import { gradleVerification } from './gradle-verification/reader.ts'
import { mavenPom } from './maven-pom/reader.ts'
import { mixLock } from './mix-lock/reader.ts'
import { nugetAssets } from './nuget-assets/reader.ts'
import { nugetLock } from './nuget-lock/reader.ts'
import { nugetPackagesConfig } from './nuget-packages-config/reader.ts'
import { packageLock } from './package-lock/reader.ts'
import { packageResolved } from './package-resolved/reader.ts'
import { pdmLock } from './pdm-lock/reader.ts'
import { pipfileLock } from './pipfile-lock/reader.ts'
import { pnpmLock } from './pnpm-lock/reader.ts'
import { podfileLock } from './podfile-lock/reader.ts'
import { poetryLock } from './poetry-lock/reader.ts'
import { pubspecLock } from './pubspec-lock/reader.ts'
import { pylock } from './pylock/reader.ts'
import { requirements } from './requirements/reader.ts'
import { semgrepDependencies } from './semgrep-dependencies/reader.ts'
import { spdxJson } from './spdx-json/reader.ts'
import { spdxTagValue } from './spdx-tag-value/reader.ts'
import { spdx3Json } from './spdx3-json/reader.ts'
import { syftJson } from './syft-json/reader.ts'
import { uvLock } from './uv-lock/reader.ts'
import { yarnBerry } from './yarn-berry/reader.ts'
import { yarnV1 } from './yarn-v1/reader.ts'

/** How much of a document its format is recognised by. */
export const headBytes = 64 * 1024

/** Bills of materials first, because their marks are the surest; requirements.txt last, because it has hardly any. */
export const formats: readonly Format[] = [
  cyclonedxJson,
  cyclonedxXml,
  spdxJson,
  spdx3Json,
  spdxTagValue,
  syftJson,
  githubSnapshot,
  semgrepDependencies,
  attestation,
  packageLock,
  yarnV1,
  yarnBerry,
  pnpmLock,
  bunLock,
  cargoLock,
  composerLock,
  denoLock,
  gemfileLock,
  goMod,
  goSum,
  gradleLockfile,
  gradleVerification,
  mavenPom,
  mixLock,
  nugetAssets,
  nugetLock,
  nugetPackagesConfig,
  packageResolved,
  pdmLock,
  pipfileLock,
  podfileLock,
  poetryLock,
  pubspecLock,
  pylock,
  uvLock,
  requirements,
]

/**
 * The format of a document, by its content. The name only decides who is asked first, which is quicker, and settles it
 * where two formats look alike.
 */
export function recogniseFormat(head: Uint8Array, path: string): Format | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const claims = (format: Format) => format.recognises(head, path)
  return formats.find((format) => usesName(format, name) && claims(format)) ?? formats.find(claims)
}

/** Raised when a reader reads something else from the same bytes, so that files are read again though they have not changed. */
export const readersRevision = 7

/** Whether a file at this path is usually of that format: by its name, or by the folder that it is in. */
export function usesPath(format: Format, path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return usesName(format, name) || (format.paths?.some((pattern) => pattern.test(path)) ?? false)
}

/** Whether a file of this name is usually of that format. */
export function usesName(format: Format, fileName: string): boolean {
  return format.fileNames.some((pattern) => pattern.test(fileName))
}
