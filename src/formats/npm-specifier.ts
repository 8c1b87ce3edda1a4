import type { Problem } from './format.ts'
import { entryProblem, quote } from './problem.ts'

const local = /^(?:file:|link:|workspace:|portal:|root:|\.{1,2}(?:[/\\]|$)|~?[/\\]|[a-zA-Z]:[/\\])/
const archive = /\.(?:tgz|tar\.gz|tar)(?:$|[#?:])/i
const maxNameLength = 512

/** A package of the project itself: a folder, link or workspace. An archive in a folder is a dependency all the same. */
export function isLocal(specifier: string): boolean {
  return local.test(specifier) && !(/^(?:file:|[./\\~])/.test(specifier) && archive.test(specifier))
}

/** Node.js, Deno or Bun itself, which is fetched from its own project and is not the package of that name. */
export function isRuntime(specifier: string): boolean {
  return specifier.startsWith('runtime:')
}

/** A version as a registry has it, not an address, branch or path. */
export function isRegistryVersion(version: string): boolean {
  return /^[v=]?\d/.test(version) && !/[/:#]/.test(version)
}

/** npm 5 wrote where a registry has the archive in place of a version: `https://r.example/a/-/a-1.2.3.tgz`. '' for other addresses. */
export function versionOfArchive(name: string, address: string): string {
  const path = address.split(/[?#]/, 1)[0]!.replace(/%2f/i, '/')
  const start = `/${name}/-/${name.slice(name.lastIndexOf('/') + 1)}-`
  const at = path.lastIndexOf(start)
  if (at === -1 || !/^https?:/i.test(path) || !path.endsWith('.tgz')) return ''
  const version = path.slice(at + start.length, -'.tgz'.length)
  return isRegistryVersion(version) ? version : ''
}

/** `@scope/name@rest` in its two parts; no rest where there is no @ behind the name. */
export function splitNameAt(text: string): { name: string; rest: string } {
  const at = text.indexOf('@', 1)
  return at === -1 ? { name: text, rest: '' } : { name: text.slice(0, at), rest: text.slice(at + 1) }
}

/** The package that `npm:real@1.0.0` stands for, undefined where it is not an alias (`npm:^1.0.0` is none). */
export function aliasTarget(specifier: string): { name: string; rest: string } | undefined {
  if (!specifier.startsWith('npm:')) return undefined
  const target = splitNameAt(specifier.slice(4))
  return target.rest !== '' || /^(?:@[^/]+\/)?[a-z]/i.test(target.name) ? target : undefined
}

/** Why this can be no package's name and version, undefined where it can. */
export function unusable(name: string, version: string, line: number, pointer: string): Problem | undefined {
  if (name === '') return entryProblem('missing-name', 'An entry has no package name.', line, pointer)
  for (const text of [name, version]) {
    if (text.length > maxNameLength || /[\p{Cc}\p{Cs}\s]/u.test(text)) {
      return entryProblem('bad-name', `${quote(text)} cannot be the name or version of a package.`, line, pointer)
    }
  }
  return undefined
}
