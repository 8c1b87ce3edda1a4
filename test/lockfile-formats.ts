import { cargoLock } from '../src/formats/cargo-lock/reader.ts'
import { composerLock } from '../src/formats/composer-lock/reader.ts'
import type { Format } from '../src/formats/format.ts'
import { gemfileLock } from '../src/formats/gemfile-lock/reader.ts'
import { goMod } from '../src/formats/go-mod/reader.ts'
import { goSum } from '../src/formats/go-sum/reader.ts'
import { gradleLockfile } from '../src/formats/gradle-lockfile/reader.ts'
import { gradleVerification } from '../src/formats/gradle-verification/reader.ts'
import { mavenPom } from '../src/formats/maven-pom/reader.ts'
import { mixLock } from '../src/formats/mix-lock/reader.ts'
import { nugetLock } from '../src/formats/nuget-lock/reader.ts'
import { packageResolved } from '../src/formats/package-resolved/reader.ts'
import { pdmLock } from '../src/formats/pdm-lock/reader.ts'
import { pipfileLock } from '../src/formats/pipfile-lock/reader.ts'
import { podfileLock } from '../src/formats/podfile-lock/reader.ts'
import { poetryLock } from '../src/formats/poetry-lock/reader.ts'
import { pubspecLock } from '../src/formats/pubspec-lock/reader.ts'
import { pylock } from '../src/formats/pylock/reader.ts'
import { requirements } from '../src/formats/requirements/reader.ts'
import { uvLock } from '../src/formats/uv-lock/reader.ts'

/** The lockfile formats outside the npm world. */
export const lockfileFormats: readonly Format[] = [
  cargoLock,
  composerLock,
  gemfileLock,
  goMod,
  goSum,
  gradleLockfile,
  gradleVerification,
  mavenPom,
  mixLock,
  nugetLock,
  packageResolved,
  pdmLock,
  pipfileLock,
  podfileLock,
  poetryLock,
  pubspecLock,
  pylock,
  requirements,
  uvLock,
]
