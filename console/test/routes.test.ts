import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { returnPath } from '../../src/capabilities/sign-in-providers/flow/return-path.ts'
import { onward } from '../app/address/onward.ts'
import { governPages, pages } from './world.ts'

/** Written in the tests of their own. */
const elsewhere = ['/me', '/device', '/authorize', '/refused', '/sign-in', '/chat/callback']

// As text: the routes import the pages, which only a browser can run.
const source = readFileSync(join(import.meta.dirname, '..', 'app', 'routes.ts'), 'utf8')
const routes = [...source.matchAll(/path: '([^']*)',\s*load:/g)].map(([, path]) => path!)

test('a sign-in leads on to every page that a link can name, with a password and through a provider', () => {
  const personal = routes.filter((route) => route.startsWith('/'))
  assert.ok(personal.length > 4, String(personal.length))
  for (const path of [...personal, '/d/shop', '/d/shop/findings/7']) {
    const link = `${path}?package=left-pad@1.3.0`
    assert.deepEqual([onward(link), returnPath(link)], [link, link])
  }
})

test('every route of the console is one that tests look at', () => {
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
