import Type from 'typebox'
import type { Finding } from '../../../capabilities/findings/finding.ts'
import type { FindingFilter } from '../../../capabilities/findings/search/filter.ts'
import type { Findings } from '../../../capabilities/findings/service.ts'
import * as names from '../../../domain/wire-names.ts'
import { OneOf } from '../../../kernel/contract/schema.ts'
import { type Tool, tool } from '../tool.ts'
import { asData } from '../untrusted.ts'
import type { PageOf } from './console-page.ts'
import { pageCursor, pageSize } from './pages.ts'

export const findingIdText = Type.String({ pattern: '^[0-9]{1,15}$', description: 'Id of a finding' })
const word = (maxLength: number, description: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength, description }))
const some = <Schema extends Type.TSchema>(schema: Schema, description: string) =>
  Type.Optional(Type.Array(schema, { minItems: 1, maxItems: 20, description }))

/** A page of what is rare may have nothing yet. An agent that still gets nothing goes on by the cursor. */
const mostLooks = 10

export function searchFindings(findings: Pick<Findings, 'search'>): Tool {
  return tool({
    name: 'search_findings',
    title: 'Search findings',
    description:
      'Findings of scanners in code, dependencies and secrets, the most severe first; those that are open unless you say which states. Call explain_finding for the details of one.',
    permissions: ['findings:read'],
    input: Type.Object({
      text: word(500, 'Titles or messages that contain this'),
      repository: word(300, 'In the repository of this name'),
      severities: some(OneOf(names.severityNames.all, 'A severity'), 'Of one of these severities'),
      states: some(OneOf(names.stateNames.all, 'A state'), 'In one of these states'),
      products: some(OneOf(names.productNames.all, 'A kind'), 'Code, dependencies, secrets or AI'),
      vulnerabilityId: word(100, 'About this vulnerability'),
      packageName: word(500, 'About this dependency'),
      path: word(1_000, 'In files whose path begins like this'),
      cursor: Type.Optional(pageCursor),
    }),
    async call(actor, { cursor, ...wanted }) {
      const search = (from: string | undefined) =>
        findings.search(actor, {
          filter: filterOf(wanted),
          sort: { by: 'severity', direction: 'desc' },
          pageSize,
          ...(from && { cursor: from }),
        })
      let found = await search(cursor)
      for (let look = 1; look < mostLooks && found.hasMore && found.findings.length === 0; look++)
        found = await search(found.cursor)
      return { findings: found.findings.map(inShort), nextCursor: found.cursor || null }
    },
  })
}

type Wanted = {
  text?: string
  repository?: string
  severities?: string[]
  states?: string[]
  products?: string[]
  vulnerabilityId?: string
  packageName?: string
  path?: string
}

function filterOf(wanted: Wanted): FindingFilter {
  const { text, repository, severities, states = ['TRIAGE_STATE_OPEN', 'TRIAGE_STATE_REOPENED'], products } = wanted
  const { vulnerabilityId, packageName, path } = wanted
  return {
    triageStates: states,
    ...(text && { text }),
    ...(repository && { repositories: [repository] }),
    ...(severities && { severities }),
    ...(products && { products }),
    ...(vulnerabilityId && { vulnerabilityIds: [vulnerabilityId] }),
    ...(packageName && { dependency: { name: packageName } }),
    ...(path && { pathPrefix: path }),
  }
}

export function explainFinding(findings: Pick<Findings, 'get' | 'history'>, pageOf: PageOf): Tool {
  return tool({
    name: 'explain_finding',
    title: 'Explain a finding',
    description:
      'All about one finding: what was found and where, the source around it, the data flow, what its rule says on how to mend it, the fixed version of a dependency, and who decided what about it.',
    permissions: ['findings:read'],
    input: Type.Object({ findingId: findingIdText }),
    async call(actor, { findingId }) {
      const { data, detail } = await findings.get(actor, Number(findingId))
      const { history } = await findings.history(actor, Number(findingId), { pageSize: 10 })
      return {
        ...inShort(data),
        page: await pageOf(actor, `findings/${data.id}`),
        vulnerabilityIds: data.vulnerabilityIds,
        cwes: data.cwes,
        fixedVersion: detail.fixedVersion,
        transitivity: detail.transitivity,
        rule: { untrusted: asData(detail.rule) },
        source: { untrusted: asData({ snippet: data.locations[0]?.snippet ?? '', surroundings: detail.surroundings }) },
        flow: detail.flow.map(({ path, startLine, snippet, message }) => ({
          line: startLine,
          untrusted: asData({ path, snippet, message }),
        })),
        history: history.map(({ at, fromState, toState, toReason, decidedBy, deciderName, note }) => {
          return { at, fromState, toState, toReason, decidedBy, untrusted: asData({ deciderName, note }) }
        }),
      }
    },
  })
}

function inShort(finding: Finding): object {
  const { id, severity, product, triageState, triageReason, reachability, raisedAt, repositoryId, startLine } = finding
  const { repository, ref, pullRequest, ruleId, title, message, path, dependency } = finding
  return {
    id,
    severity,
    product,
    state: triageState,
    reason: triageReason,
    reachability,
    raisedAt,
    repositoryId,
    pullRequest,
    line: startLine,
    untrusted: asData({ repository, ref, ruleId, title, message, path, dependency }),
  }
}
