import type { Memory, PreanalysisCounts } from '../../src/capabilities/memories/memory.ts'
import { list, plural } from '../ui/text/words.ts'

export const contexts = {
  AI_MEMORY_CONTEXT_TRIAGE: 'Triage: ignores findings by itself',
  AI_MEMORY_CONTEXT_REMEDIATION: 'Remediation: for who repairs',
  AI_MEMORY_CONTEXT_REVIEW: 'Review: for who reviews',
} as const
export type ContextName = keyof typeof contexts

type Scope = Pick<
  Memory,
  'ruleId' | 'pathPrefixes' | 'vulnerabilityClass' | 'repositoryName' | 'repositoryId' | 'projectTagId'
>

/** What it is about, as a sentence. */
export function scopeSentence(memory: Scope, tagName: (id: number) => string): string {
  const what = [
    memory.ruleId && `the rule ${memory.ruleId}`,
    memory.vulnerabilityClass && `the class ${memory.vulnerabilityClass}`,
    memory.pathPrefixes.length > 0 && `${list(memory.pathPrefixes, 'or')}`,
  ].filter((part) => part !== '' && part !== false)
  const where = memory.repositoryId
    ? `in ${memory.repositoryName || `repository ${memory.repositoryId}`}`
    : memory.projectTagId > 0
      ? `in repositories with the tag ${tagName(memory.projectTagId)}`
      : 'in the whole deployment'
  return what.length > 0 ? `Findings of ${list(what as string[])} ${where}` : `Everything ${where}`
}

/** What promoting a suggestion would do, in words. */
export function replaySentence(counts: PreanalysisCounts): string {
  const ignored = Number(counts.newlyFalsePositive)
  const back = Number(counts.newlyTruePositive)
  const stay = Number(counts.remainsTruePositive)
  const already = Number(counts.remainsFalsePositive)
  const parts = [
    `${plural(ignored, 'finding')} would be ignored provisionally`,
    ...(back > 0 ? [`${plural(back, 'finding')} would stand open again`] : []),
    `${plural(already, 'is', 'are')} ignored already`,
    `${plural(stay, 'stays', 'stay')} of concern`,
  ]
  return `${list(parts)}.`
}

/** One folder or file a line. */
export function linesOf(text: string): string[] {
  return [
    ...new Set(
      text
        .split('\n')
        .map((line) => line.trim())
        .filter(Boolean),
    ),
  ]
}

export type MemoryForm = {
  content: string
  context: ContextName[]
  ruleId: string
  pathPrefixes: string
  vulnerabilityClass: string
  repositoryId: string
  projectTagId: number
}

export function memoryBody(form: MemoryForm) {
  return {
    content: form.content.trim(),
    context: form.context,
    ruleId: form.ruleId.trim(),
    pathPrefixes: linesOf(form.pathPrefixes),
    vulnerabilityClass: form.vulnerabilityClass.trim(),
    repositoryId: form.repositoryId,
    projectTagId: form.projectTagId,
  }
}
