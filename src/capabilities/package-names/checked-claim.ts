import { Fault } from '../../kernel/contract/fault.ts'
import type { ClaimFields } from './claim-store.ts'
import type { NewClaim } from './contract.ts'
import { readPattern } from './pattern.ts'

type Registry = { id: number; ecosystem: string }

/** What was sent, as it would be stored. `pointer` says where it stands in the request. */
export function checkedClaim(sent: NewClaim, registries: readonly Registry[], pointer = ''): ClaimFields {
  const { ecosystem, packageManagerConfigId: registryId = null, reason } = sent
  const read = readPattern(ecosystem, sent.pattern)
  if ('problem' in read) throw impossible(`${pointer}/pattern`, read.problem)
  const isFit = ({ id, ...registry }: Registry) => id === registryId && registry.ecosystem === ecosystem
  if (registryId !== null && !registries.some(isFit)) {
    const problem = `must be the id of a package manager config for ${ecosystem}`
    throw impossible(`${pointer}/packageManagerConfigId`, problem)
  }
  return { ecosystem, pattern: read.pattern, registryId, reason }
}

export function alreadyClaimed({ ecosystem, pattern }: Pick<ClaimFields, 'ecosystem' | 'pattern'>): Fault {
  return new Fault('conflict', `${ecosystem} ${pattern} is already claimed; delete that claim first.`)
}

export function impossible(pointer: string, detail: string): Fault {
  return new Fault('unprocessable', 'These names cannot be claimed or released; errors says why.', {
    errors: [{ pointer, detail }],
  })
}
