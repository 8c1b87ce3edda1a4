import type { Actor } from '../../kernel/access/actor.ts'
import type { Permission } from '../../kernel/access/permission.ts'
import type { Api } from '../../kernel/contract/api.ts'
import { type AttentionItem, type AttentionKind, attentionKinds, getAttention } from './contract.ts'

/** How one kind of waiting things is counted: as its own list would, for whoever may read that list. */
export type AttentionSource = { needs: readonly Permission[]; count(actor: Actor): Promise<number> }
export type AttentionSources = Record<AttentionKind, AttentionSource>

export function attentionRoutes(api: Api, sources: AttentionSources): void {
  api.serve(getAttention, async ({ actor }) => ({ items: await countAll(actor, sources) }))
}

async function countAll(actor: Actor, sources: AttentionSources): Promise<AttentionItem[]> {
  const allowed = attentionKinds.filter((kind) => sources[kind].needs.every((each) => actor.permissions.has(each)))
  return Promise.all(allowed.map(async (kind) => ({ kind, count: await sources[kind].count(actor) })))
}
