import packageJson from '../../../package.json' with { type: 'json' }

/** A result as SARIF 2.1.0 has it, as far as we write one (§3.27). */
export type WrittenResult = {
  ruleId: string
  level: 'error' | 'warning' | 'note'
  message: { text: string }
  locations: { physicalLocation: PhysicalLocation }[]
  partialFingerprints: Record<string, string>
  suppressions?: { kind: 'external'; status: 'accepted'; justification: string }[]
  properties: Record<string, unknown>
}

type PhysicalLocation = {
  artifactLocation: { uri: string }
  region?: Record<'startLine', number> & Partial<Record<'startColumn' | 'endLine' | 'endColumn', number>>
}

export type WrittenRule = { id: string; shortDescription: { text: string } }

/**
 * A log of one run, piece by piece. The rules stand behind the results that refer to them, because they are only known when
 * these have passed.
 */
export async function* writeSarif(
  pages: AsyncIterable<{ result: WrittenResult; rule: WrittenRule }[]>,
): AsyncGenerator<string> {
  const rules = new Map<string, WrittenRule>()
  yield '{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"results":['
  let separator = '\n'
  for await (const page of pages) {
    for (const { result, rule } of page) {
      if (rule.id !== '' && !rules.has(rule.id)) rules.set(rule.id, rule)
      yield separator + JSON.stringify(result)
      separator = ',\n'
    }
  }
  const { version } = packageJson
  const driver = { name: 'Gatehouse', version, rules: [...rules.values()] }
  yield `\n],"columnKind":"utf16CodeUnits","tool":${JSON.stringify({ driver })}}]}\n`
}
