import { chosenParts } from '../tool-report/chosen-parts.ts'
import type { ToolReport, ToolResult } from '../tool-report/tool-report.ts'
import { type Loose, location, record, text, textOrTexts } from '../tool-report/written-result.ts'

/**
 * `gitleaks --report-format json`, version 8 and before. Of the secret only what tells it from others is taken, by a keyed hash;
 * the line it is in, the commit's message and its author are not looked at.
 */
export const gitleaksJson: ToolReport<object> = {
  id: 'gitleaks-json',
  title: 'Gitleaks JSON',
  recognises(members, name) {
    const has = (...names: string[]) => names.every((member) => members.has(`/0/${member}`))
    if (has('RuleID', 'File', 'Secret') || has('rule', 'file', 'offender')) return true
    // Of a run that found nothing there is an empty list, or null.
    return !members.has('/0') && members.has('') && /gitleaks/i.test(name)
  },
  facts: { begin: () => ({}), choose: () => 'skip', add() {} },
  run: () => ({ tool: 'Gitleaks', version: '', category: '', incomplete: '' }),
  choose: chosenParts('*'),
  *results({ value }) {
    const leak = record(value)
    if ('RuleID' in leak) yield leakOf(leak)
    else yield formerLeak(leak)
  },
}

function leakOf(leak: Loose): ToolResult {
  const id = text(leak.RuleID, 200)
  const description = text(leak.Description, 300)
  const place = location({
    path: text(leak.File, 2000),
    startLine: leak.StartLine,
    startColumn: leak.StartColumn,
    endLine: leak.EndLine,
    endColumn: leak.EndColumn,
    snippet: text(leak.Secret, 2000),
  })
  return written(id, description, place, leak.Commit, leak.Tags)
}

function formerLeak(leak: Loose): ToolResult {
  const place = location({
    path: text(leak.file, 2000),
    startLine: leak.lineNumber,
    snippet: text(leak.offender, 2000),
  })
  return written(text(leak.rule, 200), text(leak.rule, 200), place, leak.commit, leak.tags)
}

function written(id: string, description: string, place: Loose, commit: unknown, tags: unknown): ToolResult {
  const rule = {
    id,
    shortDescription: { text: description },
    properties: { tags: typeof tags === 'string' ? tags.split(',').slice(0, 20) : textOrTexts(tags) },
  }
  const result = {
    message: { text: `${description || id} found.` },
    locations: [place],
    partialFingerprints: { commitSha: text(commit, 100) },
    level: 'error',
  }
  return { rule, result }
}
