import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { governPages, pages } from './world.ts'

/** Written in the tests of their own. */
const elsewhere = ['/me', '/device', '/authorize', '/refused', '/sign-in', '/chat/callback']

test('every route of the console is one that tests look at', () => {
  // As text: the routes import the pages, which only a browser can run.
  const source = readFileSync(join(import.meta.dirname, '..', 'app', 'routes.ts'), 'utf8')
  const routes = [...source.matchAll(/path: '([^']*)',\s*load:/g)].map(([, path]) => path!)
  assert.ok(routes.length > 35, String(routes.length))
  const visited = [...pages, ...governPages, ...elsewhere].map((path) => path.split('?')[0]!)
  const missing = routes.filter((route) => !visited.some((path) => fits(route, path)))
  assert.deepEqual(missing, [])
})

function fits(route: string, path: string): boolean {
  const pattern = route
    .split('/')
    .map((part, at) => {
      const before = at === 0 ? '' : '/'
      if (part.startsWith('*')) return `${before}.+`
      if (part.startsWith(':')) return part.endsWith('?') ? `(?:${before}[^/]+)?` : `${before}[^/]+`
      return before + part
    })
    .join('')
  return new RegExp(`^${pattern}$`).test(path)
}
