import { type ConnectionOptions, roleNames } from '../../kernel/database/connections/connection.ts'
import { loginsFor } from '../../kernel/database/connections/service-logins.ts'
import { findLocation } from '../cluster/location.ts'
import { readPassword, SUPERUSER } from '../cluster/password.ts'
import { PORT } from '../cluster/socket-folder.ts'
import { inspectEmbedded } from '../inspect.ts'
import type { Connection } from './server.ts'

/** How to reach the embedded database of a Gatehouse that is running on this data folder, for commands beside it. */
export function runningConnection(folder: string): Connection | undefined {
  const server = inspectEmbedded(folder).database?.server
  const place = findLocation(folder)
  const password = place && readPassword(place)
  if (!server?.ready || !password) return undefined
  return ownerConnection(server.socketFolder, password)
}

/** As the superuser: to make and change the schema. */
export function ownerConnection(socketFolder: string, password: string): Connection {
  return { host: socketFolder, port: PORT, user: SUPERUSER, password, database: 'gatehouse', ssl: false }
}

/** As roles that own nothing: to serve requests. */
export function serviceConnection({ password, ...address }: Connection): ConnectionOptions & { host: string } {
  const logins = loginsFor(password)
  return { ...address, ...logins[roleNames.tenant], logins, serviceLogin: true }
}
