import Type from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { AnyId, NamedObject, RepositoryName, Slug } from '../../kernel/contract/schema.ts'
import { AssignedRepositories } from './contract.ts'

const Boards = (description: string) => Type.Array(Type.String({ description: 'Name of a board' }), { description })

export const tryRuleboard = endpoint({
  id: 'tryRuleboard',
  summary: 'What other repositories of a ruleboard would change',
  description:
    'For each repository that the caller sees, which boards of this type apply to it now, and which would if the board had these repositories: a default board applies where no other claims a repository. Nothing is saved.',
  tag: 'Ruleboards',
  stability: 'experimental',
  security: 'both',
  permission: 'ruleboards:read',
  method: 'POST',
  path: '/api/agent/deployments/:deploymentId/ruleboards/:ruleboardSlug/trial',
  params: Type.Object({ deploymentId: AnyId, ruleboardSlug: Slug }),
  body: Type.Object({ assigned_repos: AssignedRepositories }),
  response: Type.Object({
    changes: Type.Array(
      NamedObject('RuleboardTrialChange', {
        repository: RepositoryName,
        before: Boards('Boards that apply to it now'),
        after: Boards('Boards that would apply to it'),
      }),
      { maxItems: 20_000, description: 'Repositories to which other boards would apply, by name' },
    ),
  }),
  faults: ['not_found', 'unknown_repository'],
})
