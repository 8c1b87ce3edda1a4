import type { FastifyReply } from 'fastify'
import type { Clock } from '../../kernel/time/clock.ts'
import { createRateLimit } from '../requests/rate-limit.ts'

export type RegistryLimits = ReturnType<typeof createRegistryLimits>

/** All tokens of a deployment together may ask as often as this many of them. */
const deploymentTokens = 8
/** Of those who ask with what is not a token; a client with an old one asks again for every package of a build. */
const strangersShare = 0.05

/** How often clients may ask in a minute: a build asks for thousands of packages at once, so a token has many. */
export function createRegistryLimits({ perMinute, clock }: { perMinute: number; clock: Clock }) {
  const window = { windowSeconds: 60, clock }
  const tokens = createRateLimit({ limit: perMinute, ...window })
  const deployments = createRateLimit({ limit: perMinute * deploymentTokens, ...window })
  const strangers = createRateLimit({ limit: Math.ceil(perMinute * strangersShare), ...window })

  function enforce(deploymentId: number, tokenId: number, reply: FastifyReply): void {
    deployments.enforce(String(deploymentId), reply)
    // Last, because what it tells of is the caller's own.
    tokens.enforce(String(tokenId), reply)
  }

  /** To be called for whoever was not let in. */
  function enforceStranger(address: string, reply: FastifyReply): void {
    strangers.enforce(address, reply)
  }

  return { enforce, enforceStranger }
}
