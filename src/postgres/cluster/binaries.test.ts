import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, cpSync, mkdirSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { PostgresProblem } from '../problem.ts'
import { temporaryFolder } from '../process/test-owner-process.ts'
import { findBinaries, prepareBinaries } from './binaries.ts'
import { chooseIdentity } from './identity.ts'
import { chooseLocation } from './location.ts'

/** The package as npm unpacks it with install scripts switched off. */
function packageWithoutLinks(folder: string) {
  const installed = findBinaries()
  cpSync(installed.folder, join(folder, 'native'), {
    recursive: true,
    filter: (path) => !/\.a$|lib\/lib\w+\.so(\.\d+)?$/.test(path) || /lib(crypto|ssl|xml2|z|lzma|xslt|ossp)/.test(path),
  })
  return { ...installed, folder: join(folder, 'native'), postgres: join(folder, 'native', 'bin', 'postgres') }
}

test('links that installing did not make are made', async () => {
  const folder = temporaryFolder(tmpdir())
  chmodSync(folder, 0o755)
  const { place, identity } = await chooseLocation(join(folder, 'data'))
  const packaged = packageWithoutLinks(folder)
  assert.equal((await prepareBinaries(place, identity, packaged)).folder, packaged.folder)
  assert.ok(readdirSync(join(packaged.folder, 'lib')).includes('libpq.so.5'))
})

test('programs that the server’s user cannot use are copied, once, and old copies removed', async () => {
  const folder = temporaryFolder(tmpdir())
  chmodSync(folder, 0o755)
  const data = join(folder, 'data')
  mkdirSync(data)
  // As root: behind a closed door. As an ordinary user: in a folder that may not be written to.
  const closed = join(folder, 'closed')
  const packaged = packageWithoutLinks(closed)
  chmodSync(closed, 0o700)
  chmodSync(join(packaged.folder, 'lib'), 0o555)
  const { place, identity } = await chooseLocation(data)
  mkdirSync(join(place.home, 'binaries', 'old'), { recursive: true })
  const copy = await prepareBinaries(place, identity, packaged)
  assert.equal(copy.folder.startsWith(join(place.home, 'binaries')), true)
  assert.match(execFileSync(copy.postgres, ['--version'], { encoding: 'utf8' }), /^postgres \(PostgreSQL\) 18/)
  assert.equal((await prepareBinaries(place, identity, packaged)).folder, copy.folder)
  assert.equal(readdirSync(join(place.home, 'binaries')).length, 1)
  chmodSync(join(packaged.folder, 'lib'), 0o755)
})

test('a missing package is said in words', () => {
  const resolve = () => {
    throw new Error('Cannot find module')
  }
  assert.throws(
    () => findBinaries(resolve),
    (error) => error instanceof PostgresProblem && /--omit=optional.*DATABASE_URL/.test(error.message),
  )
})

test('root’s server runs as whom the data belongs to, else as a user that exists for it', () => {
  const folder = temporaryFolder(tmpdir())
  const passwd = ['root', 'nobody', 'postgres', 'gatehouse', 'ann'].map((name, n) => ({ name, uid: n * 7, gid: n * 7 }))
  const without = (...names: string[]) => passwd.filter(({ name }) => !names.includes(name))
  const choose = (users: typeof passwd) => chooseIdentity(join(folder, 'none'), folder, users)?.name
  if (process.getuid?.() !== 0) return assert.equal(choose(passwd), undefined)
  assert.equal(choose(passwd), 'gatehouse')
  assert.equal(choose(without('gatehouse')), 'postgres')
  assert.equal(choose(without('gatehouse', 'postgres')), 'nobody')
  assert.throws(() => choose(without('gatehouse', 'postgres', 'nobody')), PostgresProblem)
  chownSync(folder, 28, 28)
  assert.equal(choose(passwd), 'ann')
  assert.equal(choose(without('ann')), 'gatehouse')
})
