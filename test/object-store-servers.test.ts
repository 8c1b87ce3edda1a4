import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { createObjectStore } from '../src/outbound/object-store/object-store.ts'
import { runCommand } from './clients/command-line.ts'
import { dataFolder, root } from './servers/real-process.ts'

/** A server that somebody else wrote. It brings a hundred packages with it, so it is not among ours. */
const version = '3.7.1'
const folder = join(root, 'node_modules', '.cache', 's3rver')
const missing = await install()

async function install(): Promise<string | false> {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: { s3rver: version } }))
  const env = { ...process.env, PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
  const options = { cwd: folder, env, timeout: 120_000 }
  try {
    await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], options)
    return false
  } catch {
    return 's3rver cannot be fetched from the npm registry'
  }
}

const script = `const S3rver = require('s3rver')
const configureBuckets = [{ name: 'packages', configs: [] }]
new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory: process.argv[1], configureBuckets }).run(
  (error, address) => console.log(error ? '' : address.port),
)`

async function startS3rver(t: TestContext): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), 'gatehouse-s3rver-'))
  const child = spawn(process.execPath, ['-e', script, directory], { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
  t.after(() => {
    child.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  })
  for await (const port of createInterface(child.stdout)) return `http://127.0.0.1:${port}`
  throw new Error('s3rver did not start')
}

test('objects are put, read and removed at s3rver, small and large', { skip: missing }, async (t) => {
  const url = await startS3rver(t)
  const keys = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
  const bucket = { url: `${url}/packages`, prefix: 'team/gatehouse', region: 'us-east-1', ...keys }
  const store = createObjectStore({ bucket, allow: '' })
  t.after(store.close)
  await store.probe()
  const content = Buffer.alloc(9_000_000, 'content')
  await store.put('artifacts/x/sha512/ab/cd', content.length, Readable.from([content]))
  assert.ok((await buffer((await store.get('artifacts/x/sha512/ab/cd'))!.body)).equals(content))
  await store.remove('artifacts/x/sha512/ab/cd')
  assert.equal(await store.get('artifacts/x/sha512/ab/cd'), undefined)
})

test('the doctor says whether the object store can be used, and shows no key', { skip: missing }, async (t) => {
  const url = await startS3rver(t)
  const secret = 'canary-of-the-secret-key'
  const file = join(mkdtempSync(join(tmpdir(), 'gatehouse-secret-')), 'secret')
  writeFileSync(file, `${secret}\n`)
  t.after(() => rmSync(dirname(file), { recursive: true }))
  const data = dataFolder(t)
  const ask = async (bucket: string) => {
    const env = {
      GATEHOUSE_DATA: data,
      // Nobody: what is looked at is the store.
      DATABASE_URL: 'postgres://a:b@127.0.0.1:1/nothing',
      GATEHOUSE_S3_ENDPOINT: url,
      GATEHOUSE_S3_BUCKET: bucket,
      GATEHOUSE_S3_ACCESS_KEY_ID: 'S3RVER',
      GATEHOUSE_S3_SECRET_ACCESS_KEY_FILE: file,
    }
    const { stdout, stderr } = await runCommand(['doctor', '--json'], { env })
    assert.ok(!(stdout + stderr).includes(secret))
    const { findings } = JSON.parse(stdout) as { findings: { part: string; state: string; detail: string }[] }
    const [found] = findings.filter(({ part }) => part === 'object store')
    return [found!.state, found!.detail]
  }
  const place = (bucket: string) => `${url}/${bucket}/gatehouse`
  assert.deepEqual(await ask('packages'), ['ok', `${place('packages')} can be written, read and removed from`])
  const refused = `${place('nothing-there')} cannot be used. It answers 404 NoSuchBucket.`
  assert.deepEqual(await ask('nothing-there'), ['problem', refused])
})
