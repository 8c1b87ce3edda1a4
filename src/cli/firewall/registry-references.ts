import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type PastFirewall, referencesPast } from '../../formats/registry-references/registry-references.ts'

type NamedFile = { path: string; place: string }

export function pastFirewall(files: readonly NamedFile[], firewall: string): PastFirewall[] {
  return files.flatMap(({ path, place }) => referencesPast(path, textOf(place), firewall))
}

const settingsFiles = [
  '.npmrc',
  '.yarnrc.yml',
  'bunfig.toml',
  'pip.conf',
  'pyproject.toml',
  'Pipfile',
  'build.gradle',
  '.cargo/config.toml',
]

/** Whether the repository goes through the firewall at all: its settings or one of its lockfiles name it. */
export function usesFirewall(top: string, files: readonly NamedFile[], firewall: string): boolean {
  const places = [...settingsFiles.map((name) => join(top, name)), ...files.map(({ place }) => place)]
  return places.some((place) => textOf(place).includes(firewall))
}

const mostBytes = 64 * 1024 * 1024

function textOf(place: string): string {
  try {
    const bytes = readFileSync(place)
    return bytes.length > mostBytes ? '' : bytes.toString('utf8')
  } catch {
    return ''
  }
}
