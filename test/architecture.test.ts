import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const source = join(import.meta.dirname, '..', 'src')

/** Each layer, and the layers it may import besides itself. What is at the top of src may import everything. */
const layers: Record<string, string[]> = {
  kernel: [],
  domain: ['kernel'],
  ecosystems: ['kernel'],
  formats: ['kernel', 'domain', 'ecosystems'],
  vault: ['kernel'],
  outbound: ['kernel'],
  postgres: ['kernel'],
  feeds: ['kernel', 'formats', 'outbound'],
  capabilities: ['kernel', 'domain', 'ecosystems', 'formats', 'vault', 'outbound', 'feeds'],
  http: ['kernel'],
  proxy: ['kernel', 'domain', 'ecosystems', 'formats', 'vault', 'outbound', 'capabilities'],
  jobs: ['kernel', 'capabilities', 'outbound'],
  sandbox: ['kernel'],
}

/** Above the wiring: they may import everything. */
const openLayers = ['cli', 'demo']

type Import = { from: string; to: string }

const files = globSync('**/*.ts', { cwd: source }).filter((file) => !file.endsWith('.test.ts'))
const imports: Import[] = files.flatMap((from) => {
  const text = readFileSync(join(source, from), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, target]) => ({
    from,
    to: relative(source, join(source, dirname(from), target!)),
  }))
})

test('the sources are found and read', () => {
  assert.ok(files.length > 80 && imports.length > 200, `${files.length} files, ${imports.length} imports`)
})

test('imports follow the direction of the layers', () => {
  const wrong = imports.filter(({ from, to }) => {
    const [layer, target] = [layerOf(from), layerOf(to)]
    if (!layer || target === layer || to.startsWith('..')) return false
    if (openLayers.includes(layer)) return false
    return !target || !layers[layer]?.includes(target)
  })
  assert.deepEqual(wrong, [])
})

test('every folder of src is a known layer', () => {
  const folders = new Set(files.map(layerOf).filter(Boolean))
  assert.deepEqual(
    [...folders].filter((folder) => !openLayers.includes(folder!) && !layers[folder!]),
    [],
  )
})

test('between capabilities only contracts and public.ts are imported', () => {
  const wrong = imports.filter(({ from, to }) => {
    const [a, b] = [capabilityOf(from), capabilityOf(to)]
    return a && b && a !== b && !/\/(contract|public)\.ts$/.test(to)
  })
  assert.deepEqual(wrong, [])
})

test('only http knows the web framework', () => {
  const users = files.filter((file) => /from 'fastify'/.test(readFileSync(join(source, file), 'utf8')))
  assert.deepEqual(
    users.filter((file) => !file.startsWith('http/') && file !== 'compose.ts'),
    [],
  )
})

test('the server never loads the sandbox', () => {
  const loaded = new Set<string>()
  const load = (file: string): void => {
    if (loaded.has(file)) return
    loaded.add(file)
    const text = readFileSync(join(source, file), 'utf8')
    // Neither types nor what is imported when it is asked for.
    for (const [, target] of text.matchAll(/^(?:import|export)\s(?!type\s)[^'(]*?'(\.[^']+\.ts)'/gm)) {
      load(relative(source, join(source, dirname(file), target!)))
    }
  }
  load('cli/run.ts')
  assert.ok(loaded.has('compose.ts') && loaded.has('cli/demo.ts'))
  assert.deepEqual(
    [...loaded].filter((file) => ['sandbox', 'demo'].includes(layerOf(file) ?? '')),
    [],
  )
})

test('there are no import cycles', () => {
  const next = Map.groupBy(imports, ({ from }) => from)
  const done = new Set<string>()
  const path: string[] = []
  const visit = (file: string): string[] | undefined => {
    const at = path.indexOf(file)
    if (at >= 0) return [...path.slice(at), file]
    if (done.has(file)) return undefined
    path.push(file)
    for (const { to } of next.get(file) ?? []) {
      const cycle = visit(to)
      if (cycle) return cycle
    }
    path.pop()
    done.add(file)
    return undefined
  }
  for (const file of files) assert.equal(visit(file)?.join(' → '), undefined)
})

test('names of files carry meaning', () => {
  const empty = /(^|\/)(index|utils?|helpers?|common|types|misc)\.ts$|Manager|Impl/
  assert.deepEqual(
    files.filter((file) => empty.test(file)),
    [],
  )
  assert.deepEqual(
    files.filter((file) => !/^[a-z0-9/.-]+$/.test(file)),
    [],
  )
})

function layerOf(file: string): string | undefined {
  return file.includes('/') ? file.split('/')[0] : undefined
}

function capabilityOf(file: string): string | undefined {
  return /^capabilities\/([^/]+)\//.exec(file)?.[1]
}
