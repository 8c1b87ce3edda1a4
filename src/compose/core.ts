import type { NewPeopleSee } from '../capabilities/deployments/contract.ts'
import { createDeploymentService } from '../capabilities/deployments/service.ts'
import { provisionPolicies } from '../capabilities/policies/service.ts'
import { provisionRuleboards } from '../capabilities/ruleboards/service.ts'
import { provisionTeams } from '../capabilities/teams/service.ts'
import { createTokenService } from '../capabilities/tokens/service.ts'
import type { ConnectionOptions } from '../kernel/database/connections/connection.ts'
import { shareConnections, usualConnections } from '../kernel/database/connections/pool-sizes.ts'
import { createDatabase, type Database } from '../kernel/database/database.ts'
import type { Clock } from '../kernel/time/clock.ts'
import { createAuditKeys } from '../vault/audit-keys.ts'
import { createIdempotencyVault } from '../vault/idempotency-vault.ts'
import { createKeyRing } from '../vault/key-ring.ts'
import { masterKeyId } from '../vault/master-key/wrapping.ts'
import { createPermanentKeys, type PermanentKeys } from '../vault/permanent-keys.ts'
import { createStoredKeys } from '../vault/rotation/stored-keys.ts'

export type CoreOptions = {
  connection: ConnectionOptions
  masterKey: Buffer
  clock: Clock
  /** What people see who join a deployment that is made without saying so. */
  newPeopleSee?: NewPeopleSee
  /** How many connections to the database are taken at most. */
  connections?: number
  /** Where requests that only read are answered from, if there is such a replica. */
  readFrom?: ConnectionOptions | undefined
}
export type Core = ReturnType<typeof composeCore>

/** Everything below the web server: what the CLI works with too. */
export function composeCore({ connection, masterKey, clock, newPeopleSee, connections, readFrom }: CoreOptions) {
  const auditKeys = createAuditKeys(masterKey, () => db)
  const vault = { ...createIdempotencyVault((): Buffer => permanentKeys.idempotency()), auditKeys }
  const db: Database = createDatabase(connection, vault, shareConnections(connections ?? usualConnections), readFrom)
  const ring = createKeyRing({ masterKey, store: createStoredKeys(db, masterKeyId(masterKey)) })
  const permanentKeys: PermanentKeys = createPermanentKeys(ring)
  const deployments = createDeploymentService(
    db,
    [provisionTeams, provisionRuleboards, provisionPolicies],
    newPeopleSee,
  )
  const tokens = createTokenService(db, clock)
  return { db, ring, permanentKeys, deployments, tokens }
}
