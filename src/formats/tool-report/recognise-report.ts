import { gitlabReport } from '../gitlab-report/reader.ts'
import { gitleaksJson } from '../gitleaks-json/reader.ts'
import { grypeJson } from '../grype-json/reader.ts'
import { outline } from '../json/safe-json.ts'
import { npmAudit } from '../npm-audit/reader.ts'
import { osvScannerJson } from '../osv-scanner-json/reader.ts'
import { semgrepJson } from '../semgrep-json/reader.ts'
import { headText } from '../text/bytes.ts'
import { trivyJson } from '../trivy-json/reader.ts'
import type { ToolReport } from './tool-report.ts'

// biome-ignore lint/suspicious/noExplicitAny: what a report keeps of its facts is its own matter
export type AnyToolReport = ToolReport<any>

/** Each is told by members that no other has. */
export const toolReports: readonly AnyToolReport[] = [
  semgrepJson,
  trivyJson,
  grypeJson,
  npmAudit,
  gitleaksJson,
  osvScannerJson,
  gitlabReport,
]

/** The tool that wrote a document, by its content; the name only counts where a report says nothing because nothing was found. */
export function recogniseReport(head: Uint8Array, name: string): AnyToolReport | undefined {
  const members = membersOf(headText(head))
  return members.size === 0 ? undefined : toolReports.find((report) => report.recognises(members, name))
}

/** The members of an object by their pointers, or those of the first entry of a list below `/0`; '' for the document itself. */
function membersOf(text: string): Set<string> {
  const start = /^\s{0,100}(\{|\[\s{0,100}(\{|\])|null\s{0,100}$)/.exec(text)
  if (!start) return new Set()
  if (start[1]!.startsWith('{')) return outline(text, 3).add('')
  if (start[2] !== '{') return new Set([''])
  const entry = outline(text.slice(start[0].length - 1), 1)
  return new Set(['', '/0', ...[...entry].map((pointer) => `/0${pointer}`)])
}
