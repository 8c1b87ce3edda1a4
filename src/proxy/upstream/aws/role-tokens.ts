import { Fault } from '../../../kernel/contract/fault.ts'
import type { Outbound } from '../../../outbound/client/client.ts'
import { createSingleFlight } from '../../cache/single-flight.ts'
import { artifactToken, assumeRole, type RoleToken } from './api.ts'
import { managedRegistry } from './managed-registry.ts'

/** Who this instance is at AWS, and the operator's own endpoint of its services, if there is one. */
export type AwsIdentity = { accessKeyId: string; secretAccessKey: string; endpoint: string | undefined }

export type RoleTokenOptions = { identity: AwsIdentity | undefined; outbound: Outbound; time(): Date }

/** A registry whose deployment entered a role for it. */
export type RoleRegistry = {
  id: number
  version: number
  name: string
  url: string
  useNetworkBroker: boolean
  roleArn: string
}

export type RoleTokens = ReturnType<typeof createRoleTokens>

/** So long before its end a token is replaced, so that none ends on its way. */
const marginMs = 5 * 60_000
/** So long nobody is asked again after a refusal. */
const pauseMs = 5_000
const most = 10_000

type Entry = { held?: RoleToken | undefined; failure?: { at: Date; error: unknown } | undefined }

/**
 * Tokens of CodeArtifact for the roles of deployments, in memory alone. The external id says which deployment asks: the role
 * of one deployment cannot be used by another that learns its name ("The confused deputy problem", IAM User Guide).
 */
export function createRoleTokens({ identity, outbound, time }: RoleTokenOptions) {
  const entries = new Map<string, Entry>()
  const once = createSingleFlight<string>()

  async function get(deploymentId: number, registry: RoleRegistry): Promise<string> {
    const key = `${deploymentId} ${registry.id} ${registry.version}`
    const { held, failure } = entries.get(key) ?? {}
    if (held && leftMs(held) > marginMs) return held.token
    if (failure && time().getTime() - failure.at.getTime() < pauseMs) return heldOr(held, failure.error)
    return once(key, () => renew(key, deploymentId, registry, held))
  }

  async function renew(key: string, deploymentId: number, registry: RoleRegistry, held: RoleToken | undefined) {
    if (entries.size > most) entries.clear()
    try {
      const fresh = await ask(deploymentId, registry)
      entries.set(key, { held: fresh })
      return fresh.token
    } catch (error) {
      entries.set(key, { held, failure: { at: time(), error } })
      return heldOr(held, error)
    }
  }

  async function ask(deploymentId: number, { name, url, roleArn, useNetworkBroker }: RoleRegistry): Promise<RoleToken> {
    const named = `The registry '${name}' is signed in to by a cloud role`
    if (!identity) {
      const missing = 'GATEHOUSE_AWS_ACCESS_KEY_ID and GATEHOUSE_AWS_SECRET_ACCESS_KEY are not set.'
      throw new Fault('bad_upstream', `${named}, and this instance has no identity to assume it with: ${missing}`)
    }
    const registry = managedRegistry(url, identity.endpoint)
    if (!registry) {
      const wanted = 'https://domain-owner.d.codeartifact.region.amazonaws.com/'
      throw new Fault('bad_upstream', `${named}, and its address is not of the form ${wanted}.`)
    }
    const call = { outbound, viaBroker: useNetworkBroker, at: time() }
    const role = { roleArn, externalId: externalIdOf(deploymentId) }
    return artifactToken(registry, await assumeRole(registry, identity, role, call), call)
  }

  /** What is still valid is used while no other is to be had. */
  function heldOr(held: RoleToken | undefined, error: unknown): string {
    if (held && leftMs(held) > 0) return held.token
    throw error
  }

  function leftMs({ expiresAt }: RoleToken): number {
    return expiresAt.getTime() - time().getTime()
  }

  return { get }
}

function externalIdOf(deploymentId: number): string {
  return `gatehouse-deployment-${deploymentId}`
}
