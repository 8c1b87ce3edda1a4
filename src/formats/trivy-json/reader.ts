import { chosenParts } from '../tool-report/chosen-parts.ts'
import type { ToolReport, ToolResult } from '../tool-report/tool-report.ts'
import {
  component,
  type Loose,
  list,
  location,
  record,
  severity,
  text,
  texts,
  word,
} from '../tool-report/written-result.ts'

/** What a group of findings is about: a lockfile, the packages of an image, a Terraform file. */
type Target = { path: string; class: string; type: string }
type Facts = { version: string; isImage: boolean; targets: Map<number, Target> }

/** `trivy --format json`, schema 2: vulnerabilities, misconfigurations, secrets and licences. */
export const trivyJson: ToolReport<Facts> = {
  id: 'trivy-json',
  title: 'Trivy JSON',
  recognises: (members) =>
    members.has('/SchemaVersion') &&
    ['/ArtifactName', '/ArtifactType', '/Results'].some((member) => members.has(member)),
  facts: {
    begin: () => ({ version: '', isImage: false, targets: new Map() }),
    choose: chosenParts('Trivy/Version', 'ArtifactType', 'Results/*/Target', 'Results/*/Class', 'Results/*/Type'),
    add(facts, { path: [first, at, member], value }) {
      if (first === 'Trivy') facts.version = text(value, 50)
      else if (first === 'ArtifactType') facts.isImage = value === 'container_image'
      else {
        const target = facts.targets.get(at as number) ?? { path: '', class: '', type: '' }
        facts.targets.set(at as number, target)
        if (member === 'Target') target.path = text(value, 1000)
        else if (member === 'Class') target.class = text(value, 50)
        else target.type = text(value, 50)
      }
    },
  },
  run: ({ version }) => ({ tool: 'Trivy', version, category: '', incomplete: '' }),
  choose: chosenParts(
    'Results/*/Vulnerabilities/*',
    'Results/*/Misconfigurations/*',
    'Results/*/Secrets/*',
    'Results/*/Licenses/*',
  ),
  *results({ path: [, at, kind], value }, { targets, isImage }) {
    const target = targets.get(at as number) ?? { path: '', class: '', type: '' }
    const named = isImage || target.class === 'os-pkgs' ? { ...target, path: imageName(target.path) } : target
    if (kind === 'Vulnerabilities') yield vulnerability(record(value), named)
    else if (kind === 'Secrets') yield secret(record(value), named)
    else if (kind === 'Licenses') yield licence(record(value), named)
    else if (record(value).Status !== 'PASS') yield misconfiguration(record(value), named)
  },
}

/** `registry.example:5000/team/app:1.7 (debian 12.1)` is `team/app`, whichever build it is. */
function imageName(target: string): string {
  const plain = target.replace(/ \([^()]{1,100}\)$/, '').replace(/@sha256:[0-9a-f]{64}$/, '')
  const slash = plain.indexOf('/')
  const host = plain.slice(0, Math.max(0, slash))
  const named = /[.:]|^localhost$/.test(host) && !host.startsWith('.') ? plain.slice(slash + 1) : plain
  return named.replace(/:[\w][\w.-]{0,127}$/, '')
}

/** Words of Trivy's that are not names of a registry. */
const ecosystems: Readonly<Record<string, string>> = {
  bun: 'npm',
  uv: 'pypi',
  pylock: 'pypi',
  pubspec: 'pub',
  'packages-props': 'nuget',
  'composer-vendor': 'composer',
}

function ecosystemWord(type: string): string {
  return Object.hasOwn(ecosystems, type) ? ecosystems[type]! : type
}

function vulnerability(found: Loose, target: Target): ToolResult {
  const id = text(found.VulnerabilityID, 200)
  const isSystem = target.class === 'os-pkgs'
  const rule = {
    id,
    name: isSystem ? 'OsPackageVulnerability' : 'LanguageSpecificPackageVulnerability',
    shortDescription: { text: text(found.Title, 300) },
    fullDescription: { text: text(found.Description, 1000) },
    help: { text: text(found.Description, 4000) },
    helpUri: text(found.PrimaryURL, 1000),
    // Advisories of distributions are about several vulnerabilities each.
    deprecatedIds: texts(found.VendorIDs).filter((other) => other.startsWith('GHSA-')),
    properties: { cwe: texts(found.CweIDs) },
  }
  const name = text(found.PkgName, 300)
  const [version, fixed] = [text(found.InstalledVersion, 200), text(found.FixedVersion, 200)]
  const mend = fixed ? ` Fixed in ${fixed}.` : ''
  const result = {
    message: { text: `${name} ${version} has ${id}${found.Title ? `: ${text(found.Title, 500)}` : ''}.${mend}` },
    locations: [location({ path: text(found.PkgPath, 1000) || target.path })],
    properties: {
      ...severity(found.Severity),
      ...component({ name, version, fixed, ecosystem: ecosystemWord(target.type) }),
    },
  }
  return { rule, result }
}

function misconfiguration(found: Loose, { path }: Target): ToolResult {
  const cause = record(found.CauseMetadata)
  const rule = {
    id: text(found.ID, 200) || text(found.AVDID, 200),
    name: 'Misconfiguration',
    shortDescription: { text: text(found.Title, 300) },
    fullDescription: { text: text(found.Description, 1000) },
    help: { text: [text(found.Description, 2000), text(found.Resolution, 1900)].filter(Boolean).join('\n\n') },
    helpUri: text(found.PrimaryURL, 1000),
    properties: { tags: ['misconfiguration'] },
  }
  const result = {
    message: { text: text(found.Message, 4000) || text(found.Title, 300) },
    locations: [location({ path, startLine: cause.StartLine, endLine: cause.EndLine, around: codeOf(cause.Code) })],
    ...(found.Status === 'EXCEPTION' && { suppressions: [{ kind: 'external' }] }),
    properties: severity(found.Severity),
  }
  return { rule, result }
}

/** The lines that Trivy shows: they tell one resource of a file from another. */
function codeOf(code: unknown): { startLine: number; text: string } | undefined {
  const lines = list(record(code).Lines).map(record)
  const first = lines[0]?.Number
  if (typeof first !== 'number') return undefined
  return { startLine: first, text: lines.map(({ Content }) => text(Content, 500)).join('\n') }
}

function secret(found: Loose, { path }: Target): ToolResult {
  const title = text(found.Title, 300)
  const rule = { id: text(found.RuleID, 200), name: 'Secret', shortDescription: { text: title } }
  const result = {
    message: { text: `${title || rule.id} found.` },
    locations: [location({ path, startLine: found.StartLine, endLine: found.EndLine })],
    properties: { ...severity(found.Severity), match: word(found.Match) },
  }
  return { rule, result }
}

function licence(found: Loose, { path, type }: Target): ToolResult {
  const [name, pkg] = [text(found.Name, 200), text(found.PkgName, 300)]
  const file = text(found.FilePath, 1000)
  const rule = {
    id: `${pkg || file}:${name}`,
    name: 'License',
    shortDescription: { text: `Licence ${name}` },
    helpUri: text(found.Link, 1000),
    properties: { category: 'license' },
  }
  const result = {
    message: { text: `${pkg || file} is under ${name} (${text(found.Category, 50) || 'unknown'}).` },
    locations: [location({ path: file || path })],
    properties: {
      ...severity(found.Severity),
      ...component({ name: pkg, version: '', ecosystem: ecosystemWord(type) }),
    },
  }
  return { rule, result }
}
