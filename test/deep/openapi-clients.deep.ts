import assert from 'node:assert/strict'
import { copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { openTools, type Tools } from './openapi-tools.ts'

const document = join(import.meta.dirname, '..', '..', 'openapi.json')
let tools: Tools | undefined
before(async () => {
  tools = await openTools()
  if (!tools) return
  copyFileSync(document, join(tools.folder, 'openapi.json'))
  rmSync(join(tools.folder, 'client'), { recursive: true, force: true })
  cpSync(join(import.meta.dirname, 'clients'), join(tools.folder, 'client'), { recursive: true })
})

function withTools(title: string, work: (tools: Tools) => Promise<void>): void {
  test(title, async (context) => {
    if (!tools) return context.skip('the package registry cannot be reached')
    await work(tools)
  })
}

withTools('redocly finds nothing to say about openapi.json', async ({ use }) => {
  const said = await use('redocly', 'lint', 'openapi.json')
  assert.doesNotMatch(said, /You have \d+/)
  assert.match(said, /Your API description is valid/)
})

withTools('spectral finds nothing to say about openapi.json', async ({ folder, use }) => {
  writeFileSync(join(folder, '.spectral.yaml'), 'extends: ["spectral:oas"]\n')
  // It takes the field `default` of this recorded answer for the default of a schema.
  const read = JSON.parse(readFileSync(document, 'utf8'))
  const board = read.paths['/api/agent/deployments/{deploymentId}/ruleboards/{ruleboardSlug}'].get
  delete board.responses[200].content['application/json'].example
  writeFileSync(join(folder, 'spectral.json'), JSON.stringify(read))
  const said = await use('spectral', 'lint', '-r', '.spectral.yaml', '--fail-severity', 'hint', 'spectral.json')
  assert.match(said, /No results with a severity of 'hint' or higher found/)
})

withTools('a client by openapi-typescript compiles', async ({ use }) => {
  await use('openapi-typescript', 'openapi.json', '-o', 'client/types.ts')
  await use('tsc', '-p', 'client/openapi-typescript.json')
})

withTools('a client by @hey-api/openapi-ts compiles', async ({ use }) => {
  await use('openapi-ts', '-i', 'openapi.json', '-o', 'client/hey')
  await use('tsc', '-p', 'client/hey-api.json')
})

withTools('a client by orval compiles', async ({ use }) => {
  await use('orval', '--input', './openapi.json', '--output', './client/orval/client.ts', '--client', 'fetch')
  await use('tsc', '-p', 'client/orval.json')
})
