import type { Finding } from '../finding.ts'
import { oneLine } from '../log/loose.ts'
import type { Rule } from '../log/rule.ts'

/** One line for a list: what the rule is about where the rule says so, else what the message says. */
export function titleOf(finding: Pick<Finding, 'tool' | 'message' | 'ruleId'>, rule: Rule | undefined): string {
  for (const words of [rule?.title ?? '', rule?.name ?? '']) {
    if (isTemplate(words)) break
    if (tells(words, rule?.id ?? '', finding.tool.name)) return words
  }
  return oneLine(finding.message, 120) || finding.ruleId
}

/** Fortify: neither the title nor the name that comes with it says anything. */
function isTemplate(words: string): boolean {
  return words.includes('<Replace ')
}

const fillers = new Set(['rule', 'check', 'finding', 'issue', 'error', 'warning', 'violation'])

/** Tools that have nothing to say write just that, or the id of the rule once more, with their name around it. */
function tells(words: string, id: string, tool: string): boolean {
  if (words === '' || id.includes(words) || /^no description( available)?\.?$/i.test(words)) return false
  if (id === '' || !words.includes(id)) return true
  const rest =
    words
      .replaceAll(id, '')
      .toLowerCase()
      .match(/[a-z]{2,}/g) ?? []
  return rest.some((word) => !fillers.has(word) && !tool.toLowerCase().includes(word))
}
