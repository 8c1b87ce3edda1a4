import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Finding } from '../finding.ts'
import { readResult, sampleTool } from '../test-log.ts'
import { toolCases } from './sample-tools.ts'

for (const { what, tool, rule, result, run, is } of toolCases) {
  test(what, () => {
    const id = (rule as { id?: string } | undefined)?.id
    const finding = readResult(
      { tool: sampleTool(tool, rule ? [rule] : []), ...run },
      { ...(id === undefined ? {} : { ruleId: id }), ...result },
    )
    const seen = Object.fromEntries(Object.keys(is).map((key) => [key, finding[key as keyof Finding]]))
    assert.deepEqual(seen, is)
  })
}
