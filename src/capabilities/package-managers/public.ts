import type { Queryable } from '../../kernel/database/database.ts'
import type { KeyRing } from '../../vault/key-ring.ts'
import { sealedColumns, sealedFieldOf } from '../../vault/rotation/sealed-columns.ts'
import * as store from './store.ts'

export type Registry = store.ConfigRowWithCredentials

/** All of a deployment, oldest first, with their credentials sealed. */
export function registriesOf(db: Queryable): Promise<Registry[]> {
  return store.list(db)
}

type Login = { username: string; password: string }
type Opened = {
  npm?: { token?: string; basicAuth?: Login }
  maven?: Login
  pypi?: Login
  codeArtifact?: { assumeRoleArn: string }
}

/** The value of the Authorization header, or the cloud role that gets one. */
export type SignIn = { authorization: string } | { roleArn: string }

/** How to sign in to a registry; undefined where nothing is stored. */
export async function signInFor(
  ring: KeyRing,
  deploymentId: number,
  { id, ecosystem, credentials }: Registry,
): Promise<SignIn | undefined> {
  if (!credentials) return undefined
  const place = sealedFieldOf(sealedColumns.packageManagerCredentials, id)
  const opened = JSON.parse((await ring.open(String(deploymentId), credentials, place)).toString('utf8')) as Opened
  if (opened.codeArtifact) return { roleArn: opened.codeArtifact.assumeRoleArn }
  // The Cargo Book, Registry Authentication: the token by itself.
  const scheme = ecosystem === 'cargo' ? '' : 'Bearer '
  if (opened.npm?.token !== undefined) return { authorization: `${scheme}${opened.npm.token}` }
  const login = opened.npm?.basicAuth ?? opened.maven ?? opened.pypi
  return login && { authorization: basic(login) }
}

/** RFC 7617 §2. */
export function basic({ username, password }: Login): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}
