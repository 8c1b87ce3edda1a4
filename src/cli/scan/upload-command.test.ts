import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Environment } from './subject/ci-environment.ts'
import { findServer } from './upload-command.ts'
import type { UploadOptions } from './upload-options.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-token-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const tokenFile = join(folder, 'token')
writeFileSync(tokenFile, 'gth_filed\n')
const env = { GATEHOUSE_URL: 'https://gatehouse.example.com', GATEHOUSE_TOKEN: 'gth_told' }

const found: [options: UploadOptions, env: Environment, url: string, token: string, deploymentId: number][] = [
  [{}, env, 'https://gatehouse.example.com/', 'gth_told', 1],
  [{}, { ...env, GATEHOUSE_DEPLOYMENT: '7' }, 'https://gatehouse.example.com/', 'gth_told', 7],
  [
    { deployment: 8, url: 'http://localhost:1/x' },
    { ...env, GATEHOUSE_DEPLOYMENT: '7' },
    'http://localhost:1/x',
    'gth_told',
    8,
  ],
  [{ tokenFile }, env, 'https://gatehouse.example.com/', 'gth_filed', 1],
]

for (const [options, env, url, token, deploymentId] of found) {
  test(`uploads go to deployment ${deploymentId} at ${url} with ${token}`, async () => {
    const server = await findServer(options, env)
    assert.deepEqual({ ...server, url: server.url.href }, { url, token, deploymentId })
  })
}

const refusals: [title: string, options: UploadOptions, env: Environment, sentence: RegExp][] = [
  ['no address', {}, { ...env, GATEHOUSE_URL: '' }, /^Say --url \(or GATEHOUSE_URL\)/],
  ['an address that is none', { url: 'gatehouse.example.com' }, env, /must begin with https:\/\/ or http:\/\//],
  ['an address of something else', { url: 'ftp://gatehouse.example.com' }, env, /must begin with https/],
  [
    'no token',
    {},
    { ...env, GATEHOUSE_TOKEN: ' ' },
    /^There is no API token\. On your own machine sign in: gatehouse login\./,
  ],
  ['no token file', { tokenFile: join(folder, 'none') }, env, /none' cannot be read \(ENOENT\)\.$/],
  [
    'a token of two lines',
    {},
    { ...env, GATEHOUSE_TOKEN: 'a\nb' },
    /^The API token has characters that no token has\.$/,
  ],
  ['a deployment that is none', {}, { ...env, GATEHOUSE_DEPLOYMENT: 'mine' }, /must be a whole number/],
  ['deployment 0', { deployment: 0 }, env, /must be a whole number/],
]

for (const [title, options, env, sentence] of refusals) {
  test(`nothing is sent: ${title}`, () => assert.rejects(findServer(options, env), { message: sentence }))
}
