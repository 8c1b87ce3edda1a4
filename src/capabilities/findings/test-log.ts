/** A result of a log: the rule, the file and the code it points at make its identity. */
export type LogResult = {
  rule?: string
  path?: string
  code?: string
  line?: number
  level?: string
  message?: string
  suppressed?: boolean
  properties?: object
}

export type LogRun = { tool?: string; results?: LogResult[] | null; failed?: boolean; category?: string }

/** A SARIF log with these runs. */
export function sarifLog(...runs: LogRun[]): string {
  return JSON.stringify({ version: '2.1.0', runs: runs.map(toRun) })
}

function toRun({ tool = 'Tester', results = [], failed, category }: LogRun) {
  return {
    tool: { driver: { name: tool } },
    ...(category && { automationDetails: { id: `${category}/` } }),
    ...(failed && { invocations: [{ executionSuccessful: false }] }),
    ...(results && { results: results.map(toResult) }),
  }
}

function toResult({ rule = 'rule', path = 'src/a.js', code = 'eval(x)', line = 1, ...more }: LogResult) {
  const region = { startLine: line, snippet: { text: code } }
  return {
    ruleId: rule,
    level: more.level ?? 'error',
    message: { text: more.message ?? `${code} is not safe` },
    locations: [{ physicalLocation: { artifactLocation: { uri: path }, region } }],
    ...(more.suppressed && { suppressions: [{ kind: 'inSource' }] }),
    ...(more.properties && { properties: more.properties }),
  }
}
