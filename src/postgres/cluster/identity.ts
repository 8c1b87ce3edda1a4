import { execFile } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { promisify } from 'node:util'
import { PostgresProblem } from '../problem.ts'

/** The user PostgreSQL runs as; undefined where that is simply the user who runs Gatehouse. */
export type Identity = { uid: number; gid: number; name: string } | undefined

const run = promisify(execFile)

/**
 * PostgreSQL refuses to run as root, and rightly so. What exists already decides; else a user made for the purpose,
 * else one that every system has.
 */
export function chooseIdentity(cluster: string, dataFolder: string, passwd = readPasswd()): Identity {
  if (process.getuid?.() !== 0) return undefined
  const ofCluster = owner(cluster)
  if (ofCluster?.uid) return { ...ofCluster, name: nameOf(ofCluster.uid, passwd) ?? String(ofCluster.uid) }
  const ofFolder = passwd.find((entry) => entry.uid !== 0 && entry.uid === owner(dataFolder)?.uid)
  const known = ['gatehouse', 'postgres', '_postgres', 'nobody'].map((name) =>
    passwd.find((user) => user.name === name),
  )
  const chosen = [ofFolder, ...known].find((entry) => entry && entry.uid !== 0)
  if (chosen) return chosen
  throw new PostgresProblem(
    "Gatehouse runs as root, and PostgreSQL must not. Add a user 'gatehouse', start as an ordinary user, or set DATABASE_URL.",
  )
}

/** Asks by trying, as that user: access lists, mount options and security modules have a say that mode bits lack. */
export async function succeedsAs(identity: Identity, program: string, args: string[]): Promise<boolean> {
  try {
    await run(program, args, { ...asUser(identity), cwd: '/', env: {}, timeout: 10_000 })
    return true
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (identity && syscall?.startsWith('spawn') && (code === 'EPERM' || code === 'EINVAL')) {
      throw new PostgresProblem(
        `Gatehouse runs as root, but the system does not let it switch to user '${identity.name}', and PostgreSQL must ` +
          'not run as root. Start as an ordinary user, or set DATABASE_URL.',
        { cause: error },
      )
    }
    return false
  }
}

/** Options for spawn: with uid and gid set, libuv also drops the supplementary groups. */
export function asUser(identity: Identity): { uid?: number; gid?: number } {
  return identity ? { uid: identity.uid, gid: identity.gid } : {}
}

function owner(path: string): { uid: number; gid: number } | undefined {
  const { uid, gid } = statSync(path, { throwIfNoEntry: false }) ?? {}
  return uid === undefined || gid === undefined ? undefined : { uid, gid }
}

type User = { uid: number; gid: number; name: string }

function nameOf(uid: number, passwd: User[]): string | undefined {
  return passwd.find((entry) => entry.uid === uid)?.name
}

function readPasswd(): User[] {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  return lines.flatMap((line) => {
    const [name, , uid, gid] = line.split(':')
    return name && uid && gid ? [{ name, uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 }] : []
  })
}
