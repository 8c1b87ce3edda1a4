import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { signingKeyProblem } from '../../src/capabilities/automations/actions/signature.ts'
import type { Automation } from '../../src/capabilities/automations/automation.ts'
import { actionTypes } from '../../src/capabilities/automations/automation.ts'
import { conditionTypeNames, ruleFor } from '../../src/capabilities/automations/rules/condition-types.ts'
import { actions, bodyOf, conditions, draftOf, emptyDraft, newSigningKey, sentenceOf, valueWord } from './words.ts'

const automation: Automation = {
  id: '4',
  name: 'Tell',
  description: '',
  active: true,
  createdBy: '',
  updatedBy: '',
  createdAt: '2026-05-01T00:00:00.000Z',
  updatedAt: '2026-05-01T00:00:00.000Z',
  internalOnly: false,
  triggerSource: 'TRIGGER_SOURCE_SCAN',
  filters: {
    mode: 'MODE_ALL',
    conditions: [
      { mode: 'MODE_ANY', type: 'CONDITION_TYPE_SEVERITY', values: ['SEVERITY_CRITICAL', 'SEVERITY_HIGH'] },
      { mode: 'MODE_NONE', type: 'CONDITION_TYPE_REPOSITORY_ID', values: ['7'] },
    ],
  },
  actions: [
    { id: '1', type: 'ACTION_TYPE_WEBHOOK', config: { origin: 'https://hooks.example' } },
    { id: '2', type: 'ACTION_TYPE_EMAIL', config: { to: ['a@b.example'] } },
  ],
}

describe('an automation', () => {
  test('reads as a sentence', () => {
    assert.equal(
      sentenceOf(automation, (id) => `repo ${id}`),
      'When a scan raises or reopens findings, and severity is Critical or High and repository is not repo 7, then call a webhook at https://hooks.example and send an e-mail to a@b.example.',
    )
  })

  test('is edited and sent back with its webhook kept by its id alone', () => {
    const body = bodyOf(draftOf(automation))
    assert.deepEqual(body.actions, [
      { id: '1', type: 'ACTION_TYPE_WEBHOOK' },
      { id: '2', type: 'ACTION_TYPE_EMAIL', config: { to: ['a@b.example'] } },
    ])
    assert.deepEqual(body.filters, automation.filters)
  })

  test('a condition without a value is not sent, and a new one begins switched off', () => {
    const draft = {
      ...emptyDraft,
      filters: {
        mode: 'MODE_ALL' as const,
        conditions: [{ mode: 'MODE_ANY' as const, type: 'CONDITION_TYPE_PATH' as const, values: [] }],
      },
    }
    assert.deepEqual(bodyOf(draft).filters.conditions, [])
    assert.equal(emptyDraft.active, false)
  })
})

describe('the words of the builder', () => {
  test('know every condition, with just the values that the server takes', () => {
    assert.deepEqual(Object.keys(conditions).sort(), [...conditionTypeNames].sort())
    for (const type of conditionTypeNames) {
      const known = ruleFor(type).values
      assert.deepEqual([...(conditions[type].values ?? [])].sort(), [...(known ?? [])].sort(), type)
    }
  })

  test('know every action', () => assert.deepEqual(Object.keys(actions).sort(), [...actionTypes].sort()))

  test('say values as people do', () => {
    assert.deepEqual(['SEVERITY_HIGH', 'true', 'src/**', 'CWE-79', 'PRODUCT_TYPE_SCA'].map(valueWord), [
      'High',
      'yes',
      'src/**',
      'CWE-79',
      'Dependencies',
    ])
  })

  test('make a signing key that the server takes', () => {
    assert.equal(signingKeyProblem(newSigningKey(new Uint8Array(32).fill(255))), undefined)
  })
})
