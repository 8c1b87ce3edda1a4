import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { buildConsole } from '../build.ts'
import { type Bundle, readBundle } from './bundle.ts'

let folder: string
let bundle: Bundle
before(async () => {
  folder = (await buildConsole()).folder
  bundle = readBundle(folder)
})

test('what a first visit loads stays small', () => {
  const { outputs, firstKB, packedKB } = bundle
  assert.ok(firstKB <= 150, `${firstKB} kB of JavaScript`)
  const styles = Object.keys(outputs)
    .filter((path) => path.endsWith('.css'))
    .reduce((sum, path) => sum + packedKB(path), 0)
  assert.ok(styles <= 25, `${styles} kB of CSS`)
  const fonts = readdirSync(join(folder, 'assets')).filter((name) => name.endsWith('.woff2'))
  const size = fonts.reduce((sum, name) => sum + statSync(join(folder, 'assets', name)).size, 0)
  assert.ok(fonts.length === 2 && size <= 90_000, `${size} bytes of fonts`)
})

test('a page brings at most 25 kB of its own', () => {
  for (const [path, output] of Object.entries(bundle.outputs)) {
    if (!output.entryPoint || !path.endsWith('.js') || bundle.first.has(path)) continue
    assert.ok(bundle.packedKB(path) <= 25, `${output.entryPoint}: ${bundle.packedKB(path)} kB`)
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
