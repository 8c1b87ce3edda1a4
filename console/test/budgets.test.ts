import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { before, test } from 'node:test'
import type { Metafile } from 'esbuild'
import { buildConsole } from '../build.ts'

let folder: string
let outputs: Metafile['outputs']
before(async () => {
  folder = (await buildConsole()).folder
  outputs = (JSON.parse(readFileSync(join(folder, 'metafile.json'), 'utf8')) as Metafile).outputs
})

const packed = (path: string) => statSync(join(folder, 'assets', `${basename(path)}.gz`)).size
const kB = (bytes: number) => bytes / 1_000

function main(): string {
  return Object.keys(outputs).find((path) => outputs[path]!.entryPoint?.endsWith('console/main.tsx'))!
}

/** A file and all that it cannot start without. */
function whole(path: string, seen = new Set<string>()): Set<string> {
  if (seen.has(path)) return seen
  seen.add(path)
  for (const part of outputs[path]!.imports)
    if (part.kind === 'import-statement' && outputs[part.path]) whole(part.path, seen)
  return seen
}

test('what a first visit loads stays small', () => {
  const first = [...whole(main())].reduce((sum, path) => sum + packed(path), 0)
  assert.ok(kB(first) <= 150, `${kB(first)} kB of JavaScript`)
  const styles = Object.keys(outputs)
    .filter((path) => path.endsWith('.css'))
    .reduce((sum, path) => sum + packed(path), 0)
  assert.ok(kB(styles) <= 25, `${kB(styles)} kB of CSS`)
  const fonts = readdirSync(join(folder, 'assets')).filter((name) => name.endsWith('.woff2'))
  const size = fonts.reduce((sum, name) => sum + statSync(join(folder, 'assets', name)).size, 0)
  assert.ok(fonts.length === 2 && kB(size) <= 90, `${kB(size)} kB of fonts`)
})

test('a page brings at most 25 kB of its own', () => {
  const start = whole(main())
  for (const [path, output] of Object.entries(outputs)) {
    if (!output.entryPoint || !path.endsWith('.js') || start.has(path)) continue
    assert.ok(kB(packed(path)) <= 25, `${output.entryPoint}: ${kB(packed(path))} kB`)
  }
})

test('the page loads nothing but hashed assets, each packed twice', () => {
  const html = readFileSync(join(folder, 'index.html'), 'utf8')
  const loaded = [...html.matchAll(/(?:src|href)="([^"]+)"/g)]
    .map((match) => match[1]!)
    .filter((address) => address !== '/docs')
  assert.ok(loaded.length >= 6)
  for (const address of loaded) {
    assert.match(address, /^\/assets\/[a-z0-9-]+-[A-Z0-9]{8}\.(?:js|css|svg|woff2)$/i)
    assert.ok(existsSync(join(folder, address)), address)
    if (!address.endsWith('.woff2'))
      assert.ok(existsSync(join(folder, `${address}.br`)) && existsSync(join(folder, `${address}.gz`)), address)
  }
  assert.doesNotMatch(html, /<style|\sstyle=|<script>|\son[a-z]+=/)
})
