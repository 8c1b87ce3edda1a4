import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readResult, sampleTool } from '../test-log.ts'

const described = (text: string) => ({ shortDescription: { text } })

type Case = {
  what: string
  tool?: string
  rule: { id: string; name?: string; shortDescription?: object }
  title: string
}

const cases: Case[] = [
  { what: 'what the rule is about', rule: { id: 'X1', ...described('No eval') }, title: 'No eval' },
  { what: 'else its name', rule: { id: 'X1', name: 'NoEval' }, title: 'NoEval' },
  { what: 'a name that is the id', rule: { id: 'unix.Malloc', name: 'unix.Malloc' }, title: 'Found it here.' },
  { what: 'a name that is part of the id', rule: { id: 'eslint(eqeqeq)', name: 'eqeqeq' }, title: 'Found it here.' },
  { what: 'a description that is none', rule: { id: 'a', ...described('No description.') }, title: 'Found it here.' },
  { what: 'the id again', rule: { id: 'V1', name: 'RuleV1' }, title: 'Found it here.' },
  {
    what: 'the id, the name of the tool, and nothing else',
    tool: 'leaklint',
    rule: { id: '@a/preset > @a/aws', ...described('leaklint rule(@a/preset > @a/aws) error') },
    title: 'Found it here.',
  },
  {
    what: 'the id, and what it is about',
    rule: { id: 'GO-2022-0001', ...described('GO-2022-0001: Panic in parser') },
    title: 'GO-2022-0001: Panic in parser',
  },
  { what: 'a template', rule: { id: 'F', name: 'F-1', ...described('<Replace key="x"/>') }, title: 'Found it here.' },
]

for (const { what, tool = 'Sample', rule, title } of cases) {
  test(`title: ${what}`, () => {
    const result = { ruleId: rule.id, message: { text: 'Found it\n here.' } }
    assert.equal(readResult({ tool: sampleTool(tool, [rule]) }, result).title, title)
  })
}
