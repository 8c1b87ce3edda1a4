import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { documents } from '../scripts/documents.ts'
import { contracts } from '../src/contracts.ts'
import { openGatehouse } from './gatehouse.ts'

const root = join(import.meta.dirname, '..')

for (const [file, text] of Object.entries(documents())) {
  test(`${file} is what the contracts say (npm run generate)`, () => {
    assert.equal(readFileSync(join(root, file), 'utf8'), text)
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
    assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
    assert.ok(!/<script/i.test(page.body))
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
