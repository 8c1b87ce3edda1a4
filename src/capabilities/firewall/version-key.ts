import type { EcosystemId } from '../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../ecosystems/registry.ts'

/** Versions that the ecosystem takes for equal have the same. */
export function versionKey(ecosystem: EcosystemId, version: string): string {
  return Buffer.from(ecosystems[ecosystem].orderKey(version)).toString('latin1')
}
