import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { giveToOwner } from '../../kernel/disk/folder-owner.ts'
import { PostgresProblem } from '../problem.ts'
import { settleCopy } from './copied-folder.ts'
import { createOnce } from './durable.ts'
import { chooseIdentity, type Identity, succeedsAs } from './identity.ts'

/** Where everything of one embedded database lives. */
export type DatabaseLocation = {
  /** GATEHOUSE_DATA, with symbolic links resolved. */
  dataFolder: string
  id: string
  /** In the command line of each of its processes: how we tell them from anybody else's. */
  marker: string
  /** Holds lock, cluster and, where needed, a copy of the binaries. Inside the data folder if it can be. */
  home: string
  cluster: string
  passwordFile: string
  lockFile: string
  /** As root in somebody's data folder: what we make there is theirs, so that they can start without us next time. */
  give(path: string): void
}

/** Where the database goes when root's data folder is closed to the user PostgreSQL runs as. */
const ELSEWHERE = '/var/lib/gatehouse'

/** Finds the place of the database of a data folder, choosing it the first time. */
export async function chooseLocation(folder: string): Promise<{ place: DatabaseLocation; identity: Identity }> {
  makeFolder(folder)
  const dataFolder = realpathSync(folder)
  const base = join(dataFolder, 'postgres')
  makeFolder(base)
  const identity = chooseIdentity(join(base, 'cluster'), dataFolder)
  giveToOwner(dataFolder, base)
  const reachable = !identity || (await succeedsAs(identity, '/bin/sh', ['-c', 'cd -- "$1"', 'sh', base]))
  settleCopy(base, (path) => giveToOwner(dataFolder, path))
  const idFile = join(base, 'id')
  const fresh = `${randomBytes(16).toString('hex')}${reachable ? '' : ' elsewhere'}\n`
  const place = describe(dataFolder, createOnce(idFile, fresh))
  place.give(idFile)
  if (place.home === base) {
    if (!reachable) throw unreachable(base, identity)
    return { place, identity }
  }
  makeFolder(ELSEWHERE)
  makeFolder(place.home)
  // For people: deleting the data folder leaves this one behind, and only they know whether it is still wanted.
  writeFileSync(join(place.home, 'data-folder'), `${dataFolder}\n`, { mode: 0o600 })
  return { place, identity: chooseIdentity(place.cluster, dataFolder) }
}

/** Looks without touching; undefined where no database has been made. */
export function findLocation(folder: string): DatabaseLocation | undefined {
  try {
    const dataFolder = realpathSync(folder)
    return describe(dataFolder, readFileSync(join(dataFolder, 'postgres', 'id'), 'utf8'))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function describe(dataFolder: string, idText: string): DatabaseLocation {
  const [id = '', where] = idText.trim().split(' ')
  const base = join(dataFolder, 'postgres')
  if (!/^[0-9a-f]{32}$/.test(id))
    throw new PostgresProblem(`'${join(base, 'id')}' is damaged: restore it from a backup.`)
  const home = where === 'elsewhere' ? join(ELSEWHERE, id) : base
  return {
    dataFolder,
    id,
    marker: `gatehouse-${id}`,
    home,
    cluster: join(home, 'cluster'),
    passwordFile: join(base, 'password'),
    lockFile: join(home, 'lock'),
    give: home === base ? (path) => giveToOwner(dataFolder, path) : () => {},
  }
}

function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  mkdirSync(folder, { recursive: true })
  // As root, PostgreSQL's user has to pass through; what is in there is closed to it by its own mode.
  chmodSync(folder, process.getuid?.() === 0 ? 0o711 : 0o700)
}

function unreachable(base: string, identity: Identity): PostgresProblem {
  return new PostgresProblem(
    `The database in '${base}' was made for user '${identity?.name}', who can no longer enter that folder. Let others ` +
      'pass through the folders above it (chmod o+x), or move the data folder back to where it was.',
  )
}
