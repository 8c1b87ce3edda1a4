import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RunSummary } from '../result.ts'
import { readLog, sampleLog } from '../test-log.ts'

const notified = (notification: object, tool = 'Sample', executionSuccessful = true) => ({
  tool: { driver: { name: tool } },
  results: [],
  invocations: [{ executionSuccessful, toolExecutionNotifications: [notification] }],
})
const inFile = (artifactLocation: object) => [{ physicalLocation: { artifactLocation } }]

function readRun(run: object): { complete: boolean; unsearched: readonly string[]; codes: string[] } {
  const runs: RunSummary[] = []
  const { problems } = readLog(sampleLog(run), { root: '/ci/7', onRun: (one) => runs.push(one) })
  const { complete, unsearched } = runs[0]!
  return { complete, unsearched, codes: problems.map(({ code }) => code) }
}

test('an error that a tool tells of means that something was not searched, whatever it calls its run', () => {
  const text = 'It failed.'
  const table: { notification: object; complete: boolean; unsearched: string[]; codes: string[] }[] = [
    {
      notification: { level: 'error', message: { text } },
      complete: false,
      unsearched: [],
      codes: ['run-failed'],
    },
    {
      notification: {
        level: 'error',
        message: { text },
        locations: [...inFile({ uri: 'file:///ci/7/a%20b.py' }), ...inFile({ uri: './c.py' }), ...inFile({ index: 0 })],
      },
      complete: true,
      unsearched: ['a b.py', 'c.py', 'd.py'],
      codes: ['not-searched'],
    },
    { notification: { level: 'warning', message: { text } }, complete: true, unsearched: [], codes: [] },
    {
      notification: { message: { text }, locations: inFile({ uri: 'a.py' }) },
      complete: true,
      unsearched: [],
      codes: [],
    },
    { notification: { level: 'error' }, complete: false, unsearched: [], codes: ['run-failed'] },
  ]
  for (const { notification, ...expected } of table) {
    const run = { ...notified(notification), artifacts: [{ location: { uri: 'd.py' } }] }
    assert.deepEqual(readRun(run), expected, JSON.stringify(notification))
  }
})

test('ESLint and PMD call a run failed of which they could not parse a file: the other files were searched', () => {
  const inOne = { level: 'error', message: { text: 'Parsing error' }, locations: inFile({ uri: 'file:///ci/7/a.js' }) }
  const table: { tool: string; notification: object; complete: boolean; code: string }[] = [
    { tool: 'ESLint', notification: inOne, complete: true, code: 'not-searched' },
    { tool: 'PMD', notification: inOne, complete: true, code: 'not-searched' },
    { tool: 'PMD', notification: { ...inOne, locations: [] }, complete: false, code: 'run-failed' },
    { tool: 'ESLint', notification: {}, complete: false, code: 'run-failed' },
    { tool: 'Tester', notification: inOne, complete: false, code: 'run-failed' },
    { tool: 'CodeQL', notification: { ...inOne, locations: [] }, complete: false, code: 'run-failed' },
  ]
  for (const { tool, notification, complete, code } of table) {
    const read = readRun(notified(notification, tool, false))
    assert.deepEqual([read.complete, read.codes], [complete, [code]], `${tool} ${JSON.stringify(notification)}`)
  }
})

test('CodeQL tells of packages that it did not find in each of its runs', () => {
  const error = { level: 'error', message: { text: 'Two packages could not be found.' } }
  assert.deepEqual(readRun(notified(error, 'CodeQL')), { complete: true, unsearched: [], codes: [] })
})

test('what Semgrep warns of names the file in words', () => {
  const warning = (id: string, text: string) => ({ level: 'warning', descriptor: { id }, message: { text } })
  const table: { id: string; text: string; unsearched: string[] }[] = [
    { id: 'Timeout', text: 'Timeout when running a.rule on src/a b.py:\n ', unsearched: ['src/a b.py'] },
    { id: 'Out of memory', text: 'Out of memory at line src/100%.py:1:\n heap', unsearched: ['src/100%.py'] },
    { id: 'Syntax error', text: 'Syntax error at line src/a.py:3:\n `x` was unexpected', unsearched: [] },
    { id: 'Timeout', text: 'Something else', unsearched: [] },
  ]
  for (const { id, text, unsearched } of table) {
    const read = readRun(notified(warning(id, text), 'Semgrep OSS'))
    assert.deepEqual([read.complete, read.unsearched], [true, unsearched], text)
  }
})

test('a log of which not all is kept is not complete', () => {
  const runs: RunSummary[] = []
  const log = { version: '2.1.0', runs: Array.from({ length: 1001 }, () => ({ results: [] })) }
  readLog(log, { onRun: (run) => runs.push(run) })
  assert.deepEqual([runs.length, runs.some(({ complete }) => complete)], [1000, false])
  const many = Array.from({ length: 10_001 }, (_, at) => inFile({ uri: `${at}.py` })[0])
  const errors = Array.from({ length: 101 }, (_, at) => ({
    level: 'error',
    locations: many.slice(at * 100, at * 100 + 100),
  }))
  const run = { results: [], invocations: [{ executionSuccessful: true, toolExecutionNotifications: errors }] }
  const read = readRun(run)
  assert.deepEqual([read.complete, read.unsearched.length, read.codes], [false, 10_000, ['not-searched']])
})
