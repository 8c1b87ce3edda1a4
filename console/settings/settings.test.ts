import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { auditFilter, readAuditWords, targetName } from './audit/audit-words.ts'
import { readCallback, rememberInstall, takeInstall } from './chat/chat-events.ts'
import { readConditions, writeConditions } from './ci-trusts/ci-trust.ts'
import { treeOf } from './people/team-tree.ts'
import { isOtherOrigin, kindsFor, type RegistryForm, registryBody } from './registries/registry.ts'
import { allowedSections } from './sections.ts'
import { configurationOf, fieldText, fieldValue, settable } from './ticketing/ticketing-fields.ts'
import { scopeMatrix, tokenState } from './tokens/scopes.ts'
import { addressWords, matchesText } from './words.ts'

test('an event of the audit log says what its target is called', () => {
  assert.equal(targetName({ name: 'ci-2', scopes: [] }), 'ci-2')
  assert.equal(targetName({ email: 'ada@example.com' }), 'ada@example.com')
  assert.equal(targetName({ name: 7, by: 'mail' }), '')
})

describe('teams', () => {
  const team = (id: string, name: string, parentTeamId = '') => ({ id, name, parentTeamId })

  test('stand below their parents, by name', () => {
    const teams = [
      team('1', 'Web'),
      team('2', 'Api'),
      team('3', 'Zebra', '2'),
      team('4', 'Ant', '2'),
      team('5', 'Bee', '4'),
    ]
    const rows = treeOf(teams).map(({ team: { name }, depth }) => `${depth} ${name}`)
    assert.deepEqual(rows, ['0 Api', '1 Ant', '2 Bee', '1 Zebra', '0 Web'])
  })

  test('whose parent is not visible are not lost, and a loop ends', () => {
    assert.deepEqual(
      treeOf([team('1', 'Child', '9')]).map(({ depth }) => depth),
      [0],
    )
    assert.equal(treeOf([team('1', 'A', '2'), team('2', 'B', '1')]).length, 0)
  })
})

describe('scopes', () => {
  test('are a row for each subject, reading first', () => {
    const matrix = scopeMatrix(['teams:manage', 'teams:read', 'audit:read'])
    assert.deepEqual(
      matrix.map((row) => `${row.subject}: ${row.scopes.map((each) => each.verb).join(' ')}`),
      ['teams: read manage', 'audit: read'],
    )
  })

  const now = Date.parse('2026-05-01T00:00:00Z')
  const cases: [string, string | null, string][] = [
    ['2026-08-01T00:00:00Z', null, 'active'],
    ['2026-05-10T00:00:00Z', null, 'expires soon'],
    ['2026-04-30T23:59:59Z', null, 'expired'],
    ['2026-08-01T00:00:00Z', '2026-04-01T00:00:00Z', 'revoked'],
  ]
  for (const [expiresAt, revokedAt, state] of cases) {
    test(`a token that ends ${expiresAt} is ${state}`, () =>
      assert.equal(tokenState({ expiresAt, revokedAt }, now), state))
  }
})

describe('registries', () => {
  const form: RegistryForm = {
    name: 'Company',
    url: 'https://npm.example.com/',
    purpose: 'credentials',
    ecosystem: 'npm',
    broker: false,
    repositoryType: 'MAVEN_REPOSITORY_TYPE_RELEASE',
    scope: '',
    kind: 'token',
    username: 'u',
    password: 'p',
    token: 't',
    role: 'arn:aws:iam::1:role/x',
  }

  test('send just one kind of credentials, the one that was chosen', () => {
    assert.deepEqual(registryBody(form, false).npm, { token: 't' })
    assert.deepEqual(registryBody({ ...form, kind: 'login' }, false).npm, {
      basicAuth: { username: 'u', password: 'p' },
    })
    assert.deepEqual(registryBody({ ...form, ecosystem: 'maven', kind: 'login' }, false).maven, {
      username: 'u',
      password: 'p',
    })
    const byRole = registryBody({ ...form, kind: 'role' }, false)
    assert.deepEqual([byRole.codeArtifact, byRole.npm], [{ assumeRoleArn: 'arn:aws:iam::1:role/x' }, undefined])
  })

  test('keep what is stored only when asked to, and drop it when told so', () => {
    const kept = registryBody({ ...form, kind: 'none' }, true)
    assert.deepEqual([kept.config.requiresAuth, kept.npm], [undefined, undefined])
    assert.equal(registryBody({ ...form, kind: 'none' }, false).config.requiresAuth, false)
  })

  test('of the firewall have neither ecosystem nor credentials', () => {
    const { config, npm } = registryBody({ ...form, purpose: 'firewall', url: '*.example.com' }, false)
    assert.deepEqual([config.ecosystem, config.requiresAuth, npm], ['', false, undefined])
  })

  test('offer what the ecosystem takes', () => {
    const words = (ecosystem: string) =>
      kindsFor(ecosystem)
        .map((each) => each.value)
        .join(' ')
    assert.deepEqual(['npm', 'pypi', 'nuget', 'cargo', 'gomod', 'composer'].map(words), [
      'none token login role',
      'none login role',
      'none role',
      'none token login role',
      'none token login',
      'none',
    ])
  })

  test('move when scheme, host or port do, and not when the path does', () => {
    const moved = (to: string) => isOtherOrigin('https://a.example/x', to)
    assert.deepEqual(
      ['https://a.example/y', 'http://a.example/x', 'https://a.example:8443/', 'https://b.example/x', 'no address'].map(
        moved,
      ),
      [false, true, true, true, true],
    )
  })
})

describe('ticketing', () => {
  test('fields are text, or JSON where they read like it', () => {
    assert.deepEqual(['High', '{"name":"High"}', '["a"]', '3', '{broken', '12 Main Street'].map(fieldValue), [
      'High',
      { name: 'High' },
      ['a'],
      3,
      '{broken',
      '12 Main Street',
    ])
    assert.deepEqual([fieldText({ name: 'x' }), fieldText('x'), fieldText(undefined)], ['{"name":"x"}', 'x', ''])
  })

  test('leaves out fields that are empty or that Gatehouse fills itself', () => {
    assert.deepEqual(
      settable([{ id: 'summary' }, { id: 'priority' }]).map(({ id }) => id),
      ['priority'],
    )
    const automationStates = { sast: true, sca: false, secrets: false, scaMaliciousDeps: false, aiSast: false }
    const form = { projectId: '1', issueTypeId: '2', subtaskIssueTypeId: '', transitionId: '', automationStates }
    const sent = configurationOf({ ...form, fields: { priority: ' ', team: 'Blue' } })
    assert.deepEqual([sent.fields, sent.fixedTransitionState], [{ team: 'Blue' }, null])
  })
})

describe('chat', () => {
  test('the tab remembers for which deployment it left, once', () => {
    const kept = new Map<string, string>()
    const store = {
      getItem: (name: string) => kept.get(name) ?? null,
      setItem: (name: string, value: string) => void kept.set(name, value),
      removeItem: (name: string) => void kept.delete(name),
    }
    rememberInstall(store, 'shop')
    assert.deepEqual([takeInstall(store), takeInstall(store)], ['shop', undefined])
  })

  test('a redirect without a code says what the chat service said', () => {
    assert.deepEqual(
      readCallback([
        ['state', 's'],
        ['code', 'c'],
      ]),
      { state: 's', code: 'c' },
    )
    assert.deepEqual(readCallback([['error', 'access_denied']]), { error: 'access_denied' })
    assert.ok('error' in readCallback([['state', 's']]))
  })
})

test('the words of the audit log become what the server is asked for', () => {
  const cases: [Record<string, string>, object][] = [
    [{}, {}],
    [{ action: 'team.' }, { action: 'team.' }],
    [{ person: '0' }, { personId: 0 }],
    [{ person: 'anna' }, {}],
    [{ since: '2026-05-02' }, { since: '2026-05-02T00:00:00.000Z' }],
    [{ until: '2026-05-40' }, {}],
    [
      { until: '2026-05-03', target: 'team:7' },
      { until: '2026-05-03T00:00:00.000Z', target: 'team:7' },
    ],
  ]
  for (const [words, expected] of cases) {
    assert.deepEqual(auditFilter(readAuditWords(Object.entries(words))), expected)
  }
})

test('conditions of a CI trust are lines', () => {
  const conditions = [
    { claim: 'repository_owner_id', values: ['1', '2'] },
    { claim: 'ref', values: ['refs/heads/a=b'] },
  ]
  assert.deepEqual(readConditions('repository_owner_id = 1, 2\n\n ref=refs/heads/a=b \n'), conditions)
  assert.deepEqual(readConditions(writeConditions(conditions)), conditions)
  assert.deepEqual(readConditions('sub'), [{ claim: 'sub', values: [] }])
})

test('settings show what the person may see', () => {
  assert.deepEqual(
    allowedSections(['people:read', 'deployment:read']).map(({ path }) => path),
    ['people', 'system'],
  )
})

test('text search takes words in any order and letter case', () => {
  assert.deepEqual(
    ['berg ANNA', 'anna ben', ''].map((words) => matchesText(words, 'Anna Berg', 'anna@example.com')),
    [true, false, true],
  )
})

test('the address of a program is said in words, as nobody can write to it', () => {
  assert.deepEqual(['ci@0f3a.service-account.invalid', 'anna@example.com'].map(addressWords), [
    'service account',
    'anna@example.com',
  ])
})
