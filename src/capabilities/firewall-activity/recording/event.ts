import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'

/** One answered request for an artifact. */
export type FirewallEvent = {
  deploymentId: number
  ecosystem: EcosystemId
  name: string
  version: string
  refused: boolean
  /** The first of the verdict's advisories; '' where there is none. */
  advisoryId: string
  personId: number
  tokenId: number
  /** Of what was refused, and of what would have been by a rule that only watches: why, and where it was asked for. */
  refusal?: Refusal
}

export type Refusal = {
  /** What decided it. */
  rule: string
  reason: string
  /** As the client calls itself. */
  client: string
  address: string
}
