import type { Problem } from '../format.ts'
import type { Finding } from './finding.ts'
import { sarif } from './reader.ts'
import type { ReadOptions } from './result.ts'

/** For tests: a log of one run, and what is read of it. */
export function sampleLog(run: object): object {
  return { version: '2.1.0', runs: [{ tool: { driver: { name: 'Sample' } }, results: [], ...run }] }
}

export function sampleTool(name: string, rules: readonly object[] = []): object {
  return { driver: { name, rules } }
}

export function readLog(log: unknown, options?: ReadOptions): { findings: Finding[]; problems: Problem[] } {
  return readBytes(Buffer.from(typeof log === 'string' ? log : JSON.stringify(log)), options)
}

export function readBytes(bytes: Uint8Array, options?: ReadOptions): { findings: Finding[]; problems: Problem[] } {
  const findings: Finding[] = []
  const problems: Problem[] = []
  for (const { finding, problem } of sarif.read(() => [bytes], '', options)) {
    if (finding) findings.push(finding)
    else problems.push(problem)
  }
  return { findings, problems }
}

/** The one finding of a log with one run and one result. */
export function readResult(run: object, result: object, options?: ReadOptions): Finding {
  const { findings } = readLog(sampleLog({ ...run, results: [{ message: { text: 'Found.' }, ...result }] }), options)
  if (findings.length !== 1) throw new Error(`${findings.length} findings instead of one`)
  return findings[0]!
}
