import type { Stack } from '../packages.ts'

/** What scanners find: by which tool and rule, how bad it is, how often it happens, and what such code looks like. */
export type DemoRule = {
  tool: 'Semgrep OSS' | 'gitleaks'
  id: string
  title: string
  /** Why it matters and what to do instead. */
  help: string
  cwe: string
  owasp: string
  /** As CVSS counts: from 9 on critical, from 7 high, from 4 medium, above 0 low. */
  score: number
  confidence: 'HIGH' | 'MEDIUM' | 'LOW'
  /** Beside others of its stack. */
  often: number
  stacks: Stack[]
  /**
   * Each line begins with a mark and a space: `!` is where the finding is, `1`, `2`… are steps of the data flow that ends
   * there. `{thing}` and `{Thing}` stand for what the code is about, `{verb}` for what it does.
   */
  code: string
}

/** A piece of source in which something is wrong; lines count from 0. */
export type DemoCode = { lines: string[]; at: number; flow: number[] }

export function writeCode(template: string, thing: string, verb: string): DemoCode {
  const Thing = thing[0]!.toUpperCase() + thing.slice(1)
  const filled = template
    .trim()
    .replaceAll('{thing}', thing)
    .replaceAll('{Thing}', Thing)
    .replaceAll('{verb}', verb)
    .split('\n')
  const marks = filled.map((line) => line[0]!)
  const steps = marks.flatMap((mark, at) => (/[1-9]/.test(mark) ? [{ step: Number(mark), at }] : []))
  const at = marks.indexOf('!')
  const flow = steps.length > 0 ? [...steps.sort((a, b) => a.step - b.step).map((each) => each.at), at] : []
  return { lines: filled.map((line) => line.slice(2)), at, flow }
}
