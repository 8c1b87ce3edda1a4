import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnsWithin } from '../../../../test/turns.ts'
import type { PolicyRule } from '../contract.ts'
import { modeForRule } from '../mode-for-rule.ts'
import { compare } from './trial.ts'

/** As many rules as a policy may have, of as many lengths as they may have, each a beginning of the next. */
const longest = 'a'.repeat(499)
const rules = (mode: PolicyRule['mode']): PolicyRule[] =>
  Array.from({ length: 2_000 }, (_, at) => ({
    rule: `${longest.slice(0, at % 500)}${at < 500 ? '' : `b${at}`.slice(0, 500 - (at % 500) - 1)}*`,
    mode,
  }))

test('the largest policy and the most findings hold up nobody', async () => {
  const recorded = Array.from({ length: 40_000 }, (_, at) => ({
    rule: `${longest.slice(0, 390)}c${at}`,
    repositoryId: at % 2_000,
    pullRequest: at % 500,
    findings: 1,
  }))
  const [before, after] = [modeForRule(rules('comment')), modeForRule(rules('block'))]
  const { result, longestMs, totalMs } = await turnsWithin(150, () => compare(recorded, before, after))
  assert.equal(result.findings, 40_000)
  assert.deepEqual([result.blockedBefore, result.blockedAfter, result.changes.length], [0, 2_000, 1_000])
  assert.ok(longestMs < 150, `${longestMs} ms in one turn`)
  // Comparing each with a rule of every length took twenty times as long.
  assert.ok(totalMs < 4_000, `${totalMs} ms`)
})
