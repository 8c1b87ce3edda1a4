import Type from 'typebox'
import { refusalRules } from '../../../capabilities/firewall-activity/refusals/refusal-contract.ts'
import type { RefusalRecord } from '../../../capabilities/firewall-activity/refusals/refusal-search.ts'
import { registryEcosystemIds } from '../../../ecosystems/ecosystem.ts'
import { OneOf, Timestamp } from '../../../kernel/contract/schema.ts'
import { type Tool, tool } from '../tool.ts'
import { asData } from '../untrusted.ts'
import { pageCursor, pageSize } from './pages.ts'

export function firewallBlocks(refusals: Pick<RefusalRecord, 'search'>): Tool {
  return tool({
    name: 'firewall_blocks',
    title: 'List what the firewall refused',
    description:
      'Packages that the malware firewall refused, newest first: which version, why, and whose client asked. Use it when an install failed with 403.',
    permissions: ['firewall:read'],
    input: Type.Object({
      packageName: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 400,
          description: 'Name, or the beginning of names and a star: @scope/*',
        }),
      ),
      ecosystem: Type.Optional(OneOf(registryEcosystemIds, 'Only packages of this ecosystem')),
      rule: Type.Optional(OneOf(refusalRules, 'Only what was refused for this reason')),
      since: Type.Optional(Timestamp),
      cursor: Type.Optional(pageCursor),
    }),
    async call(actor, { packageName, ecosystem, rule, since, cursor }) {
      const filter = {
        ...(packageName && { package: packageName }),
        ...(ecosystem && { ecosystems: [ecosystem] }),
        ...(rule && { rules: [rule] }),
        ...(since && { since }),
      }
      const found = await refusals.search(actor, { filter, pageSize, ...(cursor && { cursor }) })
      const blocks = found.events.map(
        ({ at, ecosystem, rule, advisoryId, count, personName, name, version, reason }) => {
          return {
            at,
            ecosystem,
            rule,
            advisoryId,
            count,
            untrusted: asData({ name, version, reason, person: personName }),
          }
        },
      )
      return { blocks, nextCursor: found.cursor || null }
    },
  })
}
