import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-console-'))
const script = `console.log(${'1,'.repeat(500)}1)`
let gatehouse: TestGatehouse
before(async () => {
  mkdirSync(join(folder, 'assets', 'inner'), { recursive: true })
  const put = (path: string, content: string | Buffer) => writeFileSync(join(folder, path), content)
  put('index.html', '<!doctype html><title>Console</title>')
  put('secret.txt', 'outside of assets')
  put('assets/app-1a2b.js', script)
  put('assets/app-1a2b.js.br', brotliCompressSync(script))
  put('assets/app-1a2b.js.gz', gzipSync(script))
  put('assets/inter-3c4d.woff2', 'font')
  put('assets/inner/deep.js', 'inside a folder')
  put('assets/note.exe', 'no type')
  symlinkSync('/etc/passwd', join(folder, 'assets', 'link.txt'))
  gatehouse = await openGatehouse({ console: Promise.resolve({ folder }) })
})
after(async () => {
  await gatehouse.close()
  rmSync(folder, { recursive: true })
})

const html = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"

/** As it is: neither the path nor the body is touched on the way. */
function raw(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const { hostname, port } = new URL(gatehouse.url)
  return new Promise<{ status: number; headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, agent: false }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.on('end', () =>
        resolve({ status: answer.statusCode!, headers: answer.headers, body: Buffer.concat(chunks) }),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

test('every address of the console is its page, with the strictest of policies', async () => {
  for (const path of [
    '/',
    '/sign-in',
    '/me',
    '/me/tokens',
    '/d/acme',
    '/d/acme/findings/12?sev=high',
    '/chat/callback?code=x',
  ]) {
    const { status, headers, body } = await raw(path, html)
    assert.deepEqual([status, body.toString()], [200, '<!doctype html><title>Console</title>'], path)
    assert.equal(headers['content-security-policy'], policy)
    assert.equal(headers['cache-control'], 'no-cache')
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin')
    assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.match(String(headers['permissions-policy']), /camera=\(\).*geolocation=\(\).*usb=\(\)/)
    assert.match(String(headers.vary), /accept/)
    const again = await raw(path, { ...html, 'if-none-match': String(headers.etag) })
    assert.deepEqual([again.status, again.body.length], [304, 0])
    const head = await raw(path, html, 'HEAD')
    assert.deepEqual([head.status, head.body.length, head.headers.etag], [200, 0, headers.etag])
  }
})

test('programs find the reference at /, and everywhere else what programs find', async () => {
  const found = await raw('/', { accept: '*/*' })
  assert.deepEqual([found.status, found.headers.location], [302, '/docs'])
  for (const [path, headers] of [
    ['/d/acme', {}],
    ['/nowhere', html],
    ['/api/nowhere', html],
    ['/d', html],
    ['/assets', html],
  ] as const) {
    const { status, headers: sent } = await raw(path, headers)
    assert.deepEqual([status, sent['content-type']], [404, 'application/problem+json; charset=utf-8'], path)
  }
  assert.equal((await raw('/d/acme', html, 'POST')).status, 404)
})

test('assets are packed and kept for ever', async () => {
  const ask = (coding: string) => raw('/assets/app-1a2b.js', { 'accept-encoding': coding })
  const [br, gzip, plain, refused, others] = [
    await ask('gzip, br'),
    await ask('gzip'),
    await ask('identity'),
    await ask('br;q=0, gzip'),
    await ask('br ; q=0.0, *'),
  ]
  assert.deepEqual(
    [br, gzip, plain, refused, others].map(({ headers }) => headers['content-encoding']),
    ['br', 'gzip', undefined, 'gzip', 'gzip'],
  )
  assert.equal(brotliDecompressSync(br.body).toString(), script)
  assert.equal(gunzipSync(gzip.body).toString(), script)
  assert.equal(plain.body.toString(), script)
  for (const { headers } of [br, gzip, plain]) {
    assert.equal(headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.equal(headers['content-type'], 'text/javascript; charset=utf-8')
    assert.match(String(headers.vary), /accept-encoding/)
  }
  assert.equal((await raw('/assets/inter-3c4d.woff2')).headers['content-type'], 'font/woff2')
})

test('no path leads out of the assets', async () => {
  const ways = [
    '../index.html',
    '..%2findex.html',
    '%2e%2e/secret.txt',
    '..%5csecret.txt',
    '....//secret.txt',
    'inner/deep.js',
  ]
  ways.push(
    '/etc/passwd',
    '%2fetc%2fpasswd',
    'link.txt',
    'note.exe',
    'app-1a2b.js%00',
    'app-1a2b.js/',
    './app-1a2b.js',
    'app-1a2b.js.br',
  )
  ways.push('', 'constructor', '__proto__', '%', 'app-1a2b.js/../../secret.txt', 'APP-1a2b.js')
  for (const way of ways) {
    const { status, body } = await raw(`/assets/${way}`)
    assert.ok([400, 404].includes(status), `${way}: ${status}`)
    assert.ok(!/root:|outside of assets|inside a folder/.test(body.toString()), way)
  }
})

test('where it could not be built, the API is served all the same and / says why, without the place on the machine', async () => {
  const root = join(import.meta.dirname, '..', '..', '..')
  const console = Promise.reject(new Error(`Cannot find module '${root}/console/<b>build</b>.ts'`))
  console.catch(() => {})
  const bare = await openGatehouse({ console })
  try {
    assert.equal((await bare.call('GET', '/api/tokens/v1/self')).status, 200)
    const page = await bare.call('GET', '/', { as: '', headers: html })
    assert.equal(page.status, 503)
    assert.match(page.body, /could not be built.*Cannot find module &#39;console\/&#60;b&#62;build/s)
    assert.ok(!page.body.includes(root))
    assert.equal((await bare.call('GET', '/assets/app-1a2b.js', { as: '' })).status, 404)
    assert.equal(
      (await bare.call('GET', '/', { as: '', headers: { accept: '*/*' } })).headers.get('content-type'),
      'text/html; charset=utf-8',
    )
  } finally {
    await bare.close()
  }
})
