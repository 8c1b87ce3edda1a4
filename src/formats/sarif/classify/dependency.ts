import type { RegistryEcosystemId } from '../../../ecosystems/ecosystem.ts'
import { parsePurl } from '../../../ecosystems/purl.ts'
import type { Finding, VulnerableDependency } from '../finding.ts'
import { type Evidence, property } from '../log/evidence.ts'
import { readLabels } from './labels.ts'

/** What tools, and the package URL, call an ecosystem. */
const ecosystemWords: Readonly<Record<RegistryEcosystemId, readonly string[]>> = {
  npm: ['npm', 'yarn', 'pnpm', 'node-pkg', 'nodejs', 'javascript'],
  pypi: ['pypi', 'pip', 'pipenv', 'poetry', 'python', 'python-pkg'],
  gomod: ['golang', 'gomod', 'gomodules', 'go-module', 'gobinary', 'go'],
  cargo: ['cargo', 'rust', 'rust-crate', 'rustbinary'],
  maven: ['maven', 'gradle', 'jar', 'pom', 'java-archive', 'sbt', 'java'],
  gem: ['gem', 'rubygems', 'bundler', 'gemspec', 'ruby'],
  composer: ['composer', 'php', 'php-composer'],
  nuget: ['nuget', 'dotnet', 'dotnet-core', 'dotnet-deps'],
  pub: ['pub', 'dart', 'dart-pub'],
  swiftpm: ['swift', 'swiftpm', 'spm'],
  hex: ['hex', 'mix', 'erlang', 'elixir'],
  cocoapods: ['cocoapods', 'pod'],
}
const byWord = new Map(
  Object.entries(ecosystemWords).flatMap(([id, all]) => all.map((word) => [word, id as RegistryEcosystemId] as const)),
)

/** The file in which a dependency was found tells its ecosystem where the tool does not. */
const byFile: readonly (readonly [RegExp, RegistryEcosystemId])[] = [
  [/(^|\/)(package(-lock)?\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?)$/, 'npm'],
  [
    /(^|\/)(requirements[^/]*\.txt|Pipfile(\.lock)?|poetry\.lock|pdm\.lock|uv\.lock|pyproject\.toml|setup\.py)$/,
    'pypi',
  ],
  [/(^|\/)go\.(mod|sum)$/, 'gomod'],
  [/(^|\/)Cargo\.(lock|toml)$/, 'cargo'],
  [/(^|\/)(pom\.xml|build\.gradle(\.kts)?|gradle\.lockfile|buildscript-gradle\.lockfile)$|\.(jar|war|ear)$/, 'maven'],
  [/(^|\/)(Gemfile(\.lock)?|gems\.locked)$|\.gemspec$/, 'gem'],
  [/(^|\/)composer\.(lock|json)$/, 'composer'],
  [/(^|\/)packages\.(lock\.json|config)$|\.(csproj|deps\.json)$/, 'nuget'],
  [/(^|\/)pubspec\.(lock|yaml)$/, 'pub'],
  [/(^|\/)Package\.(resolved|swift)$/, 'swiftpm'],
  [/(^|\/)mix\.(lock|exs)$/, 'hex'],
  [/(^|\/)Podfile(\.lock)?$/, 'cocoapods'],
]

type Named = { name: string; version: string; ecosystem: string }

/** Where tools write which dependency they mean; the first that names one counts. */
const sources: readonly ((evidence: Evidence) => Named | undefined)[] = [
  (of) => {
    const name = property(of, 'component', 'packageName', 'package', 'dependency')
    const version = property(of, 'componentVersion', 'packageVersion', 'installedVersion', 'version')
    return named(name, version, property(of, 'componentOrigin', 'packageManager', 'ecosystem'))
  },
  (of) => {
    const purl = [property(of, 'purl', 'purls'), ...of.logicalNames].find((text) => text.startsWith('pkg:'))
    return purl === undefined ? undefined : fromPurl(purl)
  },
  // osv-scanner
  (of) => fromParts(/^Package '(.{1,300}?)(?:@([^'@]{1,200}))?' is vulnerable to/.exec(of.message)),
  // Grype
  ({ message }) => {
    const found = /\bin ([\w-]{1,50}) package: (.{1,300}?), version (\S{1,200})/.exec(message)
    return found ? named(found[2]!, found[3]!, found[1]!) : undefined
  },
  // Trivy, whose messages name the installed package; its rules, and those of Anchore, one of the packages affected.
  (of) => fromLabels(readLabels(of.message)),
  (of) => fromLabels(of.rule?.labels ?? {}),
  // Snyk
  ({ logicalNames }) => fromParts(/^(@?[^@]{1,300})@([^@]{1,200})$/.exec(logicalNames[0] ?? '')),
]

export function dependencyOf(evidence: Evidence): VulnerableDependency | null {
  for (const source of sources) {
    const found = source(evidence)
    if (!found) continue
    const { name, version, ecosystem } = found
    return { name, version, ecosystem: ecosystemOf([ecosystem, ...evidence.tags], evidence.paths) }
  }
  return null
}

function ecosystemOf(words: readonly string[], paths: readonly string[]): RegistryEcosystemId | '' {
  const written = words[0]!.toLowerCase()
  // A word that is not one of ours (rpm, deb, apk) is still a word: the tags and file names would only mislead.
  if (written !== '') return byWord.get(written) ?? ''
  for (const word of words) {
    const id = byWord.get(word.toLowerCase())
    if (id) return id
  }
  for (const path of paths) {
    const file = byFile.find(([pattern]) => pattern.test(path))
    if (file) return file[1]
  }
  return ''
}

const exposures: Readonly<Record<string, Finding['reachability']>> = {
  reachable: 'reachable',
  true: 'reachable',
  yes: 'reachable',
  unreachable: 'unreachable',
  'not reachable': 'unreachable',
  false: 'unreachable',
  no: 'unreachable',
}

export function reachabilityOf(evidence: Evidence): Finding['reachability'] {
  const written = property(evidence, 'exposure', 'reachability', 'reachable').toLowerCase()
  if (written === '') return ''
  return Object.hasOwn(exposures, written) ? exposures[written]! : 'unknown'
}

/** What to upgrade to, where the tool says it in a word of its own. */
export function fixedVersionOf(evidence: Evidence): string {
  const told = property(evidence, 'fixedVersion', 'fixVersion', 'fixedIn', 'patchedVersion')
  return (told || (readLabels(evidence.message)['fixed version'] ?? '')).slice(0, 200)
}

function named(name: string, version: string, ecosystem: string): Named | undefined {
  return name === '' ? undefined : { name, version, ecosystem }
}

function fromParts(found: RegExpExecArray | null): Named | undefined {
  return found ? named(found[1]!, found[2] ?? '', '') : undefined
}

function fromLabels(labels: Readonly<Record<string, string>>): Named | undefined {
  const name = labels.package ?? labels.pkgname ?? ''
  return named(name, labels['installed version'] ?? labels.version ?? '', labels.type ?? '')
}

function fromPurl(written: string): Named | undefined {
  const purl = parsePurl(written)
  if (!purl) return undefined
  const { type, namespace, name, version } = purl
  const between = type === 'maven' ? ':' : '/'
  return named(namespace ? `${namespace}${between}${name}` : name, version ?? '', type)
}
