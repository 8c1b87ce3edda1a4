import assert from 'node:assert/strict'
import { test } from 'node:test'
import { escapedModule, type GoRoute, goRoute, isModule } from './route.ts'

const module = 'github.com/Azure/go'
const at = 'github.com/!azure/go'
const cases: [path: string, route: GoRoute][] = [
  [`${at}/@v/list`, { kind: 'list', module }],
  [`${at}/@latest`, { kind: 'latest', module }],
  [`${at}/@v/v1.0.0.info`, { kind: 'info', module, version: 'v1.0.0' }],
  [`${at}/@v/main.info`, { kind: 'info', module, version: 'main' }],
  [`${at}/@v/v1.0.0-!r!c1.mod`, { kind: 'mod', module, version: 'v1.0.0-RC1' }],
  [`${at}/@v/v2.0.0+incompatible.zip`, { kind: 'zip', module, version: 'v2.0.0+incompatible' }],
  [
    'golang.org/toolchain/@v/v0.0.1-go1.22.0.linux-amd64.zip',
    { kind: 'zip', module: 'golang.org/toolchain', version: 'v0.0.1-go1.22.0.linux-amd64' },
  ],
  [
    'sumdb/sum.golang.org/supported',
    { kind: 'sumdb', database: 'sum.golang.org', path: 'supported', module: undefined },
  ],
  [
    `sumdb/sum.golang.org/lookup/${at}@v1.0.0`,
    { kind: 'sumdb', database: 'sum.golang.org', path: `lookup/${at}@v1.0.0`, module },
  ],
  [
    'sumdb/sum.golang.org/tile/8/0/x001/234.p/5',
    { kind: 'sumdb', database: 'sum.golang.org', path: 'tile/8/0/x001/234.p/5', module: undefined },
  ],
]
for (const [path, route] of cases) test(`${path} is read`, () => assert.deepEqual(goRoute(path), route))

const tricks = [
  '',
  '@v/list',
  '@latest',
  'a.b/@v/',
  'a.b/@v/x/list',
  'A.b/@v/list',
  'a.b/!/@v/list',
  'a.b/!!a/@v/list',
  'a.b//c/@v/list',
  'a.b/../c/@v/list',
  'a.b/%2e%2e/@v/list',
  'a.b/./@v/list',
  'a.b/c./@v/list',
  'a.b/c/@v/..%2f..%2fx.zip',
  'a.b/c/@v/main.zip',
  'a.b/c/@v/v1.zip',
  'a.b/c/@v/v1.0.0.tar',
  'a.b/c/@v/v1.0.0%0d%0a.zip',
  'sumdb/localhost/latest',
  'sumdb/sum.golang.org/other',
  'sumdb/sum.golang.org/tile/8/0/../x',
  'sumdb/sum.golang.org/lookup/a.b/../c@v1.0.0',
  'sumdb/127.0.0.1:80/latest',
  '%',
]
for (const path of tricks) {
  test(`'${path}' leads nowhere`, () => assert.deepEqual(goRoute(path), { kind: 'unknown' }))
}

test('module paths are told from everything else', () => {
  assert.equal(escapedModule(module), at)
  assert.ok(isModule(module))
  for (const path of ['', '..', 'a/../b', 'a b', 'a/!b', 'a\u00e9']) assert.ok(!isModule(path), path)
})
