import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { documents } from '../scripts/documents.ts'
import { contracts } from '../src/compose/contracts.ts'
import { openGatehouse } from './gatehouse.ts'

const root = join(import.meta.dirname, '..')

for (const [file, text] of Object.entries(documents())) {
  test(`${file} is what the contracts say (npm run generate)`, () => {
    // Not `equal`: it would print both, and they are long.
    assert.ok(readFileSync(join(root, file), 'utf8') === text, 'run npm run generate')
  })
}

test('every contract is served, and nothing else is', async () => {
  const gatehouse = await openGatehouse()
  try {
    const name = (contract: { method: string; path: string }) => `${contract.method} ${contract.path}`
    assert.deepEqual(gatehouse.served.map(name).sort(), contracts.map(name).sort())
    const answer = await gatehouse.call('GET', '/openapi.json', { as: '' })
    const committed = JSON.parse(readFileSync(join(root, 'openapi.json'), 'utf8'))
    assert.deepEqual(Object.keys(answer.body.paths).sort(), Object.keys(committed.paths).sort())
    const page = await gatehouse.call('GET', '/docs', { as: '' })
    for (const contract of contracts) assert.ok(page.body.includes(`id="${contract.id}"`), contract.id)
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'.*script-src 'self';/)
    assert.doesNotMatch(policy, /unsafe|https?:|\*/)
    // One script, from this server; nothing inline, nothing from elsewhere.
    assert.deepEqual(page.body.match(/<script[^>]*>/g), ['<script type="module" src="/docs/search.js">'])
    assert.ok(!/ on\w+=|javascript:|(src|href)="(https?:)?\/\//i.test(page.body.replace(/<pre>[\s\S]*?<\/pre>/g, '')))
  } finally {
    await gatehouse.close()
  }
})

test('ids of contracts are unique', () => {
  assert.equal(new Set(contracts.map((contract) => contract.id)).size, contracts.length)
})

test('every property of every contract is described', () => {
  const bare: string[] = []
  const visit = (schema: unknown, path: string) => {
    const { properties, items } = schema as { properties?: Record<string, { description?: string }>; items?: object }
    for (const [name, property] of Object.entries(properties ?? {})) {
      const inner = property as { type?: string; anyOf?: { description?: string }[] }
      const described = property.description ?? inner.anyOf?.some((each) => each.description)
      if (!described && inner.type !== 'object') bare.push(`${path}/${name}`)
      visit(property, `${path}/${name}`)
    }
    if (items) visit(items, `${path}[]`)
  }
  for (const contract of contracts) {
    for (const part of [contract.params, contract.query, contract.body, contract.response])
      if (part) visit(part, contract.id)
  }
  assert.deepEqual(bare, [])
})

test('links between the documents lead somewhere', () => {
  const broken: string[] = []
  for (const file of globSync(['*.md', 'docs/**/*.md'], { cwd: root })) {
    const text = readFileSync(join(root, file), 'utf8')
    for (const [, target] of text.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)) {
      if (/^[a-z]+:/.test(target!)) continue
      if (!existsSync(join(root, dirname(file), target!))) broken.push(`${file}: ${target}`)
    }
  }
  assert.deepEqual(broken, [])
})

test('folders and files that the map names are there', () => {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
  const named = [...text.matchAll(/`([a-z][a-z\d-]*(?:\/[a-z\d.-]+)+)`/g)].map(([, path]) => path!)
  assert.ok(named.length > 20, `${named.length} paths`)
  const places = ['.', 'src', 'src/capabilities']
  assert.deepEqual(
    named.filter((path) => !places.some((place) => existsSync(join(root, place, path)))),
    [],
  )
})
