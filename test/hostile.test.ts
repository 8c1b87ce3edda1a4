import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { contracts } from '../src/compose/contracts.ts'
import type { Endpoint } from '../src/kernel/contract/endpoint.ts'
import { often } from './depth.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'
import { existingIds, pathFor, sampleOf } from './sample-requests.ts'

// Alone in its process: it measures the memory of the process.

/**
 * Requests made from the contracts and then bent: every endpoint must answer each of them with something that is not its
 * own fault.
 */
const runs = often(12, 300)
const seed = Number(process.env.GATEHOUSE_HOSTILE_SEED ?? Date.now() % 1_000_000)

let gatehouse: TestGatehouse
let ids: Record<string, string | number>
before(async () => {
  gatehouse = await openGatehouse({ env: { GATEHOUSE_REQUESTS_PER_MINUTE: '1000000' } })
  ids = await existingIds(gatehouse, { id: gatehouse.owner.deploymentId, as: gatehouse.owner.token })
})
after(() => gatehouse.close())

const nasty = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    '',
    ' ',
    0,
    -1,
    1.5,
    1e308,
    -0,
    true,
    [],
    {},
    [[[[]]]],
    2 ** 53 + 2,
    '\u0000',
    '\ud800',
    '1',
    '0',
    '-1',
    "'; drop table person; --",
    '../../etc/passwd',
    '#{7*7}',
    '%00',
    'constructor',
    '\u202e',
    'a'.repeat(70_000),
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.integer(),
  fc.double(),
  fc.jsonValue({ maxDepth: 3 }),
  fc.constant(Object.fromEntries([['__proto__', 1]])),
)

/** Replaces, adds or removes something at a random place of the value. */
function bend(value: unknown, choose: (max: number) => number, bad: unknown): unknown {
  if (typeof value !== 'object' || value === null || choose(4) === 0) return bad
  if (Array.isArray(value)) return [...value.map((entry) => (choose(2) ? entry : bend(entry, choose, bad))), bad]
  const entries = Object.entries(value)
  if (entries.length === 0 || choose(4) === 0)
    return { ...value, [typeof bad === 'string' ? bad.slice(0, 50) : 'extra']: bad }
  const [key, entry] = entries[choose(entries.length)]!
  return choose(5) === 0
    ? Object.fromEntries(entries.filter(([name]) => name !== key))
    : { ...value, [key]: bend(entry, choose, bad) }
}

/** All fields, not only the required ones. */
function fullSample(schema: unknown): unknown {
  const node = schema as { type?: string; properties?: Record<string, unknown>; items?: unknown }
  if (node.type === 'object' && node.properties) {
    return Object.fromEntries(Object.entries(node.properties).map(([name, property]) => [name, fullSample(property)]))
  }
  if (node.type === 'array') return [fullSample(node.items)]
  return sampleOf(schema)
}

function hostileRequest(contract: Endpoint) {
  return fc
    .record({
      bad: nasty,
      picks: fc.array(fc.nat(100), { minLength: 40, maxLength: 40 }),
      where: fc.nat(9),
      full: fc.boolean(),
      header: fc.string({ maxLength: 30 }),
    })
    .map(({ bad, picks, where, full, header }) => {
      let next = 0
      const choose = (max: number) => picks[next++ % picks.length]! % max
      const text = encodeURIComponent(
        String(typeof bad === 'object' ? JSON.stringify(bad) : bad)
          .slice(0, 300)
          .toWellFormed(),
      )
      let path = pathFor(contract, ids)
      if (where === 0) path = pathFor(contract, { ...ids, [Object.keys(ids)[choose(7)]!]: text || 'x' })
      if (where === 1) path += `?${text}=${text}`
      const query = Object.keys((contract.query as { properties?: object } | undefined)?.properties ?? {})
      if (where >= 7 && query.length > 0) path += `?${query[choose(query.length)]}=${text}`
      const sample = contract.body ? (full ? fullSample(contract.body) : sampleOf(contract.body)) : undefined
      const body = contract.body
        ? JSON.stringify(where >= 2 ? bend(sample, choose, bad) : sample)
        : where === 9
          ? JSON.stringify(bad)
          : undefined
      const headers: Record<string, string> = {}
      if (where === 2) headers['if-match'] = printable(header)
      if (where === 3) headers['idempotency-key'] = printable(header)
      return { path, body, headers }
    })
}

function printable(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, '.') || '.'
}

/** They ask the provider of the sample, which nobody runs and whose secret was never sealed. */
const askOutside = ['backChannelLogout', 'startProviderSignIn', 'trySignInProvider']

async function send(
  contract: Endpoint,
  request: { path: string; body: string | undefined; headers: Record<string, string> },
): Promise<void> {
  const as = contract.security === 'jwt' ? gatehouse.owner.jwt : gatehouse.owner.token
  // Signing out and changing the password would end the test's own credentials; their bodies are still bent.
  if (contract.id === 'logout') return
  const withBody = contract.method !== 'GET' && request.body !== undefined
  const answer = await gatehouse.call(contract.method, request.path, {
    as,
    headers: request.headers,
    ...(withBody ? { body: request.body } : {}),
  })
  if (askOutside.includes(contract.id) && request.path.includes('/providers/1/')) return
  assert.ok(
    answer.status < 500,
    `${contract.id} ${answer.status} ${request.path} ${request.body} ${JSON.stringify(answer.body)}`,
  )
  // Other products refuse in words of their own.
  if (answer.status >= 400 && !contract.protocol)
    assert.equal(typeof answer.body.code, 'string', `${contract.id} ${request.path}`)
}

for (const contract of contracts) {
  test(`${contract.id} answers whatever is sent to it`, { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(hostileRequest(contract), (request) => send(contract, request)),
      { numRuns: runs, seed, endOnFailure: true },
    )
  })
}

for (const contract of contracts.filter(({ upload }) => upload)) {
  test(`${contract.id} answers an upload without a body`, async () => {
    const query = new URLSearchParams((contract.query ? sampleOf(contract.query) : {}) as Record<string, string>)
    await send(contract, { path: `${pathFor(contract, ids)}?${query}`, body: undefined, headers: {} })
  })
}

test('hostile requests leave no memory behind', { timeout: 120_000 }, async () => {
  const contract = contracts.find((each) => each.id === 'createToken')!
  const round = async () => {
    for (const request of fc.sample(hostileRequest(contract), { numRuns: 300, seed })) await send(contract, request)
  }
  await round()
  const before = heapAfterCollection()
  await round()
  await round()
  const grown = heapAfterCollection() - before
  assert.ok(grown < 24 * 1024 * 1024, `${Math.round(grown / 1024)} KiB more after 600 requests`)
})

function heapAfterCollection(): number {
  setFlagsFromString('--expose_gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  collect()
  return process.memoryUsage().heapUsed
}
