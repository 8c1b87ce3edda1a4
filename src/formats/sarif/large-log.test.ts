import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { sarif } from './reader.ts'

const megabytes = Number(process.env.GATEHOUSE_LARGE_LOG_MB ?? 24)

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** A log of about `size` bytes, its rules after its results, that never exists as a whole. */
function* largeLog(size: number): Generator<Buffer> {
  yield Buffer.from('{"version":"2.1.0","runs":[{"results":[')
  let written = 0
  for (let index = 0; written < size; index += 1) {
    const chunk = Buffer.from(`${index === 0 ? '' : ','}\n${JSON.stringify(largeResult(index))}`)
    written += chunk.length
    yield chunk
  }
  const rules = Array.from({ length: 500 }, (_, index) => ({
    id: `rule-${index}`,
    shortDescription: { text: `Rule ${index}` },
    help: { text: 'help '.repeat(2000) },
    properties: { 'security-severity': '7.5' },
  }))
  yield Buffer.from(`],"tool":{"driver":{"name":"Large","rules":${JSON.stringify(rules)}}}}]}`)
}

function largeResult(index: number): object {
  const place = (line: number) => ({
    physicalLocation: {
      artifactLocation: { uri: `src/folder-${index % 97}/file-${index % 1009}.ts`, uriBaseId: '%SRCROOT%' },
      region: { startLine: line, startColumn: 3, snippet: { text: `  const value${index} = read(${'x'.repeat(60)})` } },
    },
  })
  return {
    ruleId: `rule-${index % 500}`,
    message: { text: `Value ${index} is not checked. ${'It should be. '.repeat(8)}` },
    locations: [place((index % 4000) + 1)],
    codeFlows: [{ threadFlows: [{ locations: [1, 2, 3].map((line) => ({ location: place(line) })) }] }],
  }
}

test(`a log of ${megabytes} MB is read in little memory`, () => {
  const held = () => {
    collect()
    const { heapUsed, arrayBuffers } = process.memoryUsage()
    return heapUsed + arrayBuffers
  }
  const before = held()
  let peak = 0
  let findings = 0
  for (const { finding, problem } of sarif.read(() => largeLog(megabytes * 1_000_000), '')) {
    assert.equal(problem, undefined)
    assert.equal(finding?.severity, 'high')
    findings += 1
    if (findings % 5000 === 1) peak = Math.max(peak, held())
  }
  assert.ok(findings > megabytes * 400, `${findings} findings`)
  // What grows with the log is one number per finding, to tell equal ones apart.
  const allowed = 16_000_000 + findings * 64
  assert.ok(peak - before < allowed, `held ${peak - before} bytes for ${findings} findings`)
})
