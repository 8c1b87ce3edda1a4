import Type, { type Static } from 'typebox'
import {
  CountString,
  IdString,
  NamedObject,
  named,
  OneOf,
  Timestamp,
  VersionedObject,
} from '../../kernel/contract/schema.ts'

const contextNames = ['AI_MEMORY_CONTEXT_TRIAGE', 'AI_MEMORY_CONTEXT_REMEDIATION', 'AI_MEMORY_CONTEXT_REVIEW'] as const
export type ContextName = (typeof contextNames)[number]

export const stageNames = ['AI_MEMORY_STAGE_SUGGESTED', 'AI_MEMORY_STAGE_LIVE', 'AI_MEMORY_STAGE_DELETED'] as const
export type StageName = (typeof stageNames)[number]

export const Content = named(
  'MemoryContent',
  Type.String({
    minLength: 1,
    maxLength: 10_000,
    pattern: '\\S',
    description: 'What is remembered, in plain words',
  }),
)
export const Contexts = named(
  'MemoryContexts',
  Type.Array(
    OneOf(
      contextNames,
      'What it is good for. Triage takes effect by itself; the others are read by those who fix or review',
    ),
    { minItems: 1, maxItems: contextNames.length, uniqueItems: true, description: 'What it is good for' },
  ),
)
export const RuleId = named(
  'MemoryRuleId',
  Type.String({
    maxLength: 400,
    description: 'Findings of this rule, by the name its tool gives it; empty for any rule',
  }),
)
export const PathPrefixes = named(
  'MemoryPathPrefixes',
  Type.Array(
    Type.String({
      minLength: 1,
      maxLength: 1_000,
      pattern: '[^/.]',
      description: 'A folder or file; whole names count, so src/test covers src/test/a.js and not src/testing.js',
    }),
    { maxItems: 100, description: 'Findings in these folders and files; empty for any path' },
  ),
)
export const VulnerabilityClass = named(
  'VulnerabilityClass',
  Type.String({
    maxLength: 200,
    description: 'Findings of this class, a CWE such as CWE-79; empty for any',
  }),
)
export const ProjectTagId = named(
  'ProjectTagId',
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Findings in repositories that carry this tag; 0 for none',
  }),
)
/** Like other ids, or empty. */
export const RepositoryId = named(
  'MemoryRepositoryId',
  Type.String({
    pattern: '^[0-9]{0,16}$',
    'x-digits': true,
    description: 'Findings in this repository; empty where it is about a tag or the whole deployment',
  }),
)

const Source = NamedObject('SuggestionSource', {
  note: Type.String({ maxLength: 2_000, description: 'What was said' }),
  createdBy: Type.String({ maxLength: 254, description: 'Who said it' }),
  createdAt: Timestamp,
  sampleIssueId: Type.String({ maxLength: 100, description: 'A finding it was said of' }),
  prCommentUrl: Type.String({ maxLength: 2_048, description: 'Where it was said; empty where not in a pull request' }),
  reviewCommentId: Type.String({ maxLength: 100, description: 'The comment it was said in; empty for none' }),
})
export type Source = Static<typeof Source>

export const SuggestionSources = NamedObject('SuggestionSources', {
  sources: Type.Array(Source, { maxItems: 20, description: 'One for each person who said so, the latest first' }),
})

export const PreanalysisCounts = NamedObject(
  'PreanalysisCounts',
  {
    newlyTruePositive: CountString,
    newlyFalsePositive: CountString,
    remainsTruePositive: CountString,
    remainsFalsePositive: CountString,
  },
  {
    description:
      'What it does to the findings in its scope that are not fixed: true are those of concern, false those ignored, provisionally or not; newly are those it changes',
  },
)
export type PreanalysisCounts = Static<typeof PreanalysisCounts>

export const Memory = VersionedObject('Memory', {
  id: IdString,
  content: Content,
  ruleId: RuleId,
  ruleName: Type.String({ description: 'The name that its tool gives the rule; empty if it gives none' }),
  repositoryId: RepositoryId,
  repositoryName: Type.String({ description: 'The name of the repository; empty where there is none' }),
  createdAt: Timestamp,
  createdBy: Type.String({
    description: 'E-mail address of who made it, of one who has left their address then; empty for a suggestion',
  }),
  context: Contexts,
  stage: OneOf(stageNames, 'Only live ones take effect'),
  pathPrefixes: PathPrefixes,
  suggestionSources: SuggestionSources,
  preanalysisCounts: PreanalysisCounts,
  vulnerabilityClass: VulnerabilityClass,
  projectTagId: ProjectTagId,
})
export type Memory = Static<typeof Memory>
