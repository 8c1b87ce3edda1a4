import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { type NamedTable, namedTables } from './named-tables.ts'
import { owners, readByAll, readers, writers } from './table-owners.ts'

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
  protocols: ['kernel', 'domain', 'ecosystems', 'formats', 'vault', 'capabilities'],
  jobs: ['kernel', 'capabilities', 'outbound'],
  sandbox: ['kernel'],
  backup: ['kernel', 'postgres'],
}

/** The wiring and what is above it: they may import everything. */
const openLayers = ['cli', 'compose', 'demo', 'settings', 'start']

/** A folder with more is one that nobody reads at a glance: it gets rooms. */
const filesOfAFolder = 16

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

test('large folders have rooms', () => {
  const here = [
    ...files.map((file) => `src/${file}`),
    ...globSync('console/**/*.{ts,tsx}', {
      cwd: join(source, '..'),
      exclude: ['**/*.test.ts', 'console/test/**', 'console/api/**'],
    }),
  ].filter((file) => !/\.test\.tsx?$|(^|\/)test-/.test(file))
  const folders = Map.groupBy(here, (file) => dirname(file))
  assert.ok(folders.size > 150, `${folders.size} folders`)
  assert.deepEqual(
    [...folders]
      .filter(([, inside]) => inside.length > filesOfAFolder)
      .map(([folder, inside]) => `${folder}: ${inside.length} files`),
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
    users.filter((file) => !file.startsWith('http/') && file !== 'compose/compose.ts'),
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
  for (const file of ['cli/run.ts', 'cli/serve.ts', 'cli/demo.ts']) load(file)
  assert.ok(loaded.has('compose/compose.ts'))
  assert.deepEqual(
    [...loaded].filter((file) => ['sandbox', 'demo'].includes(layerOf(file) ?? '')),
    [],
  )
})

test('there are no import cycles', () => {
  assert.equal(cycleIn(imports), undefined)
})

test('what runs of the console has none either', () => {
  const console = join(source, '..', 'console')
  const found = globSync('**/*.{ts,tsx}', { cwd: console }).flatMap((from) => {
    const text = readFileSync(join(console, from), 'utf8')
    // Neither types nor pages, which are imported when they are asked for.
    return [...text.matchAll(/^(?:import|export)\s(?!type\s)[^'(]*?'(\.[^']+)'/gm)].map(([, target]) => ({
      from,
      to: relative(console, join(console, dirname(from), target!)),
    }))
  })
  assert.ok(found.length > 500, `${found.length} imports`)
  assert.equal(cycleIn(found), undefined)
})

function cycleIn(edges: readonly Import[]): string | undefined {
  const next = Map.groupBy(edges, ({ from }) => from)
  const done = new Set<string>()
  const path: string[] = []
  const visit = (file: string): string | undefined => {
    const at = path.indexOf(file)
    if (at >= 0) return [...path.slice(at), file].join(' → ')
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
  for (const file of next.keys()) {
    const cycle = visit(file)
    if (cycle) return cycle
  }
  return undefined
}

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

/** Makes a past with the clock of its own choosing, so it writes where it likes. */
const exempt = ['demo']

const ownerOf = new Map(Object.entries(owners).flatMap(([owner, tables]) => tables.map((table) => [table, owner])))
const uses = files
  .filter((file) => !/(^|\/)test-|-fixture\.ts$/.test(file) && !exempt.includes(layerOf(file) ?? ''))
  .flatMap((file) => {
    const tables = namedTables(readFileSync(join(source, file), 'utf8')).filter(({ table }) => ownerOf.has(table))
    return tables.map((use) => ({ ...use, file, user: capabilityOf(file) ?? layerOf(file) ?? '' }))
  })

test('every table has one owner', () => {
  const schema = readFileSync(join(source, '..', 'docs', 'schema.sql'), 'utf8')
  const tables = [...schema.matchAll(/^create (?:table|view) (\w+)/gm)].map(([, table]) => table!)
  assert.deepEqual(Object.values(owners).flat().sort(), tables.sort())
})

test('only the owner of a table changes it, and only who has a reason reads it', () => {
  const wrong = uses.filter(({ table, changes, user }) => {
    if (ownerOf.get(table) === user) return false
    if (writers.some((each) => each.writer === user && each.tables.includes(table))) return false
    if (changes) return true
    return !readByAll[table] && !readers.some((each) => each.reader === user && each.tables.includes(table))
  })
  assert.deepEqual(wrong, [])
})

test('every exception is made use of, and none is about the inventory', () => {
  const isUsed = (user: string, table: string) => uses.some((use) => use.user === user && use.table === table)
  const exceptions = [
    ...readers.flatMap(({ reader, tables }) => tables.map((table) => [reader, table] as const)),
    ...writers.flatMap(({ writer, tables }) => tables.map((table) => [writer, table] as const)),
  ]
  assert.deepEqual(
    exceptions.filter(([user, table]) => !isUsed(user, table)),
    [],
  )
  assert.deepEqual(
    exceptions.filter(([, table]) => owners.inventory!.includes(table)),
    [],
  )
})

test('tables are found wherever SQL names them', () => {
  const named = (text: string) =>
    namedTables(text).map(({ table, changes }: NamedTable) => table + (changes ? '!' : ''))
  assert.deepEqual(named('sql`select * from package p join lockfile on true`'), ['package', 'lockfile'])
  assert.deepEqual(named('sql`delete from lockfile using dependency d`'), ['lockfile!', 'dependency'])
  assert.deepEqual(named('sql`insert into a select 1`; sql`update b set c = 1`'), ['a!', 'b!'])
  assert.deepEqual(named('sql`select 1 from a x, b, c` // sql`select from d`'), ['a', 'b', 'c'])
  assert.deepEqual(named("const text = `from a`; /* sql`select from b` */ 'sql`select from c`'"), [])
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of a template.
  assert.deepEqual(named('sql<Row>`x ${one ? sql`join a on true` : f({ b: `from c` })} join d`'), ['a', 'd'])
})

function layerOf(file: string): string | undefined {
  return file.includes('/') ? file.split('/')[0] : undefined
}

function capabilityOf(file: string): string | undefined {
  return /^capabilities\/([^/]+)\//.exec(file)?.[1]
}
