import type { Queryable } from '../../kernel/database.ts'
import type { KeyRing } from '../../vault/key-ring.ts'
import { placeIn, sealedColumns } from '../../vault/sealed-columns.ts'
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
  codeArtifact?: object
}

/** The value of the Authorization header for a registry; undefined where none is stored or it has to be got elsewhere first. */
export async function authorizationFor(
  ring: KeyRing,
  deploymentId: number,
  { id, credentials }: Registry,
): Promise<string | undefined> {
  if (!credentials) return undefined
  const place = placeIn(sealedColumns.packageManagerCredentials, id)
  const opened = JSON.parse((await ring.open(String(deploymentId), credentials, place)).toString('utf8')) as Opened
  if (opened.npm?.token !== undefined) return `Bearer ${opened.npm.token}`
  const login = opened.npm?.basicAuth ?? opened.maven ?? opened.pypi
  return login && `Basic ${Buffer.from(`${login.username}:${login.password}`).toString('base64')}`
}
