import type { Problem } from '../format.ts'
import type { Finding } from '../sarif/finding.ts'
import type { ReadOptions, RunSummary } from '../sarif/result.ts'
import { type AnyToolReport, recogniseReport } from './recognise-report.ts'
import { readToolReport } from './tool-report.ts'

export type SampleReading = {
  format: string
  findings: Finding[]
  problems: Problem[]
  runs: RunSummary[]
}

const key = Buffer.alloc(32, 7)

/** For tests: what is read of a report that is recognised by its content. */
export function readReport(document: unknown, path = 'report.json', options: ReadOptions = {}): SampleReading {
  const bytes = Buffer.from(typeof document === 'string' ? document : JSON.stringify(document))
  const report: AnyToolReport | undefined = recogniseReport(bytes.subarray(0, 64 * 1024), path)
  if (!report) return { format: '', findings: [], problems: [], runs: [] }
  const findings: Finding[] = []
  const problems: Problem[] = []
  const runs: RunSummary[] = []
  const reading = { identityKey: key, onRun: (run: RunSummary) => runs.push(run), ...options }
  for (const { finding, problem } of readToolReport(report, () => [bytes], path, reading)) {
    if (finding) findings.push(finding)
    else problems.push(problem)
  }
  return { format: report.id, findings, problems, runs }
}

/** What a list of findings shows of each. */
export function brief({ product, severity, ruleId, locations: [first], dependency }: Finding): string {
  const place = `${first?.path ?? ''}${first?.startLine ? `:${first.startLine}` : ''}`
  const about = dependency ? ` ${dependency.ecosystem || '-'} ${dependency.name}@${dependency.version}` : ''
  return `${product} ${severity} ${ruleId} ${place}${about}`
}
