import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sql from 'sql-template-tag'
import type { Database } from '../kernel/database/database.ts'
import { giveToOwner } from '../kernel/disk/folder-owner.ts'
import { syncFolder } from '../postgres/cluster/durable.ts'

/** Without a token while the first start is not over. */
export type SignIn = { email: string; password: string; token?: string | undefined }

/**
 * The file in the data folder that tells who sets Gatehouse up how to sign in: readable by its owner alone, and there
 * before the account is, so that no crash in between locks anybody out. It goes when the password is changed.
 */
export function createFirstSignIn(dataFolder: string) {
  const file = join(dataFolder, 'first-sign-in.txt')
  const draft = `${file}.new`

  /** Whole or not at all. */
  function keep(signIn: SignIn): void {
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
    rmSync(draft, { force: true })
    writeFileSync(draft, textOf(signIn), { mode: 0o600, flag: 'wx', flush: true })
    giveToOwner(dataFolder, draft)
    renameSync(draft, file)
    syncFolder(dataFolder)
  }

  function read(): SignIn | undefined {
    if (!existsSync(file)) return undefined
    const text = readFileSync(file, 'utf8')
    const said = (name: string) => new RegExp(`^ +${name} +(.+)$`, 'm').exec(text)?.[1]
    const [email, password, token] = [said('Sign-in'), said('Password'), said('API token')]
    return email && password ? { email, password, token } : undefined
  }

  function forget(): void {
    rmSync(file, { force: true })
  }

  /** If it is theirs. */
  async function forgetFor(db: Database, personId: number): Promise<void> {
    const kept = read()
    if (!kept) return
    const whose = sql`select 1 from person where id = ${personId} and lower(email) = lower(${kept.email})`
    if ((await db.identityQuery(whose)).length > 0) forget()
  }

  return { file, keep, read, forget, forgetFor }
}

function textOf({ email, password, token }: SignIn): string {
  return `The first sign-in of this Gatehouse. Keep what you need and delete this file. Changing the password deletes it too.

  Sign-in    ${email}
  Password   ${password}
${token ? `  API token  ${token}\n` : ''}`
}
