import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readResult } from '../test-log.ts'

const run = {
  tool: {
    driver: {
      name: 'T',
      version: '1.2',
      rules: [
        { id: 'A', name: 'a', defaultConfiguration: { level: 'error' } },
        { id: 'B', guid: 'AAAA-1', name: 'b' },
        { id: 'A', name: 'a again' },
      ],
    },
    extensions: [
      { name: 'empty' },
      {
        name: 'ext',
        guid: 'EEEE-1',
        rules: [
          { id: 'X', name: 'x', defaultConfiguration: { level: 'note' } },
          { id: 'A', name: 'other a' },
        ],
      },
    ],
  },
  invocations: [
    {
      executionSuccessful: true,
      ruleConfigurationOverrides: [
        { descriptor: { id: 'B' }, configuration: { level: 'none' } },
        { descriptor: { index: 1, toolComponent: { index: 1 } }, configuration: { level: 'error' } },
      ],
    },
  ],
}

const table: { what: string; result: object; is: [id: string, name: string, level: string] }[] = [
  { what: 'by id', result: { ruleId: 'A' }, is: ['A', 'a', 'error'] },
  { what: 'by index', result: { ruleIndex: 1 }, is: ['B', 'b', 'none'] },
  { what: 'by index among rules of one id', result: { ruleId: 'A', ruleIndex: 2 }, is: ['A', 'a again', 'warning'] },
  {
    what: 'the id wins over an index that points elsewhere',
    result: { ruleId: 'A', ruleIndex: 1 },
    is: ['A', 'a', 'error'],
  },
  { what: 'an index out of range', result: { ruleId: 'B', ruleIndex: 99 }, is: ['B', 'b', 'none'] },
  { what: 'hierarchical', result: { ruleId: 'A/sub/1' }, is: ['A/sub/1', 'a', 'error'] },
  { what: 'hierarchical with an index', result: { ruleId: 'B/1', ruleIndex: 1 }, is: ['B/1', 'b', 'none'] },
  { what: 'by reference and guid', result: { rule: { guid: 'aaaa-1' } }, is: ['B', 'b', 'none'] },
  {
    what: 'in an extension by index',
    result: { rule: { index: 0, toolComponent: { index: 1 } } },
    is: ['X', 'x', 'note'],
  },
  {
    what: 'in an extension by name',
    result: { rule: { id: 'A', toolComponent: { name: 'ext' } } },
    is: ['A', 'other a', 'error'],
  },
  {
    what: 'in an extension by guid',
    result: { rule: { id: 'A', toolComponent: { guid: 'eeee-1' } } },
    is: ['A', 'other a', 'error'],
  },
  { what: 'in an extension that the result forgets to name', result: { ruleId: 'X' }, is: ['X', 'x', 'note'] },
  { what: 'unknown', result: { ruleId: 'Nope' }, is: ['Nope', '', 'warning'] },
  { what: 'none', result: {}, is: ['', '', 'warning'] },
  { what: 'the level of the result wins', result: { ruleId: 'B', level: 'error' }, is: ['B', 'b', 'error'] },
  { what: 'a level that is none', result: { ruleId: 'X', level: 'fatal' }, is: ['X', 'x', 'note'] },
]

for (const { what, result, is } of table) {
  test(`rule: ${what}`, () => {
    const { ruleId, ruleName, level } = readResult(run, result)
    assert.deepEqual([ruleId, ruleName, level], is)
  })
}

test('of several invocations, the one that the result came from sets the level', () => {
  const invocations = [
    {},
    { ruleConfigurationOverrides: [{ descriptor: { id: 'A' }, configuration: { level: 'note' } }] },
  ]
  assert.equal(readResult({ ...run, invocations }, { ruleId: 'A' }).level, 'error')
  assert.equal(readResult({ ...run, invocations }, { ruleId: 'A', provenance: { invocationIndex: 1 } }).level, 'note')
})
