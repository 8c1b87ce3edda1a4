import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { isNewer, releaseChangelog } from '../scripts/changelog.ts'
import { deepOnly } from './depth.ts'
import { poll, root } from './servers/real-process.ts'

const skip = spawnSync('ssh-keygen', ['-?']).error
  ? 'ssh-keygen is not installed (Debian: apt-get install openssh-client)'
  : deepOnly('making a release takes minutes')

test('what was unreleased gets a version and a day, and the rest stays as it was', () => {
  const older = '## [0.1.0] - 2026-01-01\n\n- First.\n'
  const text = `# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n\n${older}`
  const { changelog, notes } = releaseChangelog(text, '0.2.0', '2026-02-03')
  assert.equal(notes, '### Added\n\n- A thing.')
  const dated = '## [Unreleased]\n\n## [0.2.0] - 2026-02-03\n\n### Added\n\n- A thing.\n\n'
  assert.equal(changelog, `# Changelog\n\n${dated}${older}`)
  assert.throws(() => releaseChangelog(changelog, '0.3.0', '2026-02-04'), /nothing to release/)
  assert.throws(() => releaseChangelog(older, '0.3.0', '2026-02-04'), /Unreleased/)
})

test('versions only go up', () => {
  for (const [version, than] of [
    ['0.2.1', '0.2.0'],
    ['0.10.0', '0.9.9'],
    ['1.0.0', '0.99.99'],
  ]) {
    assert.ok(isNewer(version!, than!) && !isNewer(than!, version!), version)
  }
  for (const wrong of ['0.2.0', '', 'v0.3.0', '0.3', '0.3.0-rc.1', '0.3.0; rm'])
    assert.ok(!isNewer(wrong, '0.2.0'), wrong)
})

const left = new Set(['node_modules', '.git', '.gatehouse', 'console-built', 'dist'])

/** A clone with a commit of everything as it is here, and a key of its own. */
function clone(t: TestContext): {
  folder: string
  key: string
  release(version: string): ReturnType<typeof spawnSync>
  begin(version: string): ChildProcess
} {
  const place = mkdtempSync(join(tmpdir(), 'gatehouse-release-'))
  t.after(() => rmSync(place, { recursive: true, force: true }))
  const folder = join(place, 'clone')
  mkdirSync(folder)
  for (const name of readdirSync(root)) {
    if (!left.has(name)) cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' })
  git('init', '--quiet')
  writeFileSync(join(folder, '.git/info/exclude'), 'node_modules\n')
  for (const setting of ['user.name=Test', 'user.email=test@example.com', 'tag.gpgSign=false', 'commit.gpgSign=false'])
    git('config', ...(setting.split('=') as [string, string]))
  git('add', '--all')
  git('commit', '--quiet', '--message', 'All of it')
  const key = join(place, 'key')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'release', '-f', key])
  const command = (version: string) => ['--disable-warning=ExperimentalWarning', 'scripts/release.ts', version]
  const options = { cwd: folder, env: { ...process.env, GATEHOUSE_RELEASE_KEY: key } }
  const release = (version: string) =>
    spawnSync(process.execPath, command(version), { ...options, encoding: 'utf8' as const })
  const begin = (version: string) =>
    spawn(process.execPath, command(version), { ...options, detached: true, stdio: 'ignore' })
  return { folder, key, release, begin }
}

test('a release has its version everywhere, its parts, and checksums whose signature holds', {
  skip,
  timeout: 300_000,
}, (t) => {
  const { folder, key, release } = clone(t)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()
  const made = release('9.8.7')
  assert.equal(made.status, 0, `${made.stderr}`)
  assert.equal(git('describe', '--exact-match'), 'v9.8.7')
  assert.equal(git('status', '--porcelain'), '')
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
  assert.deepEqual([lock.version, lock.packages[''].version], ['9.8.7', '9.8.7'])
  assert.match(readFileSync(join(folder, 'deploy/helm/gatehouse/Chart.yaml'), 'utf8'), /^appVersion: 9\.8\.7$/m)
  assert.deepEqual(outdatedDocuments(folder), [])

  const dist = join(folder, 'dist/9.8.7')
  assert.deepEqual(readdirSync(dist).sort(), [
    'SHA256SUMS',
    'SHA256SUMS.sig',
    'gatehouse-9.8.7.cdx.json',
    'gatehouse-9.8.7.tgz',
    'gatehouse-chart-9.8.7.tgz',
    'release-notes-9.8.7.md',
  ])
  const sums = readFileSync(join(dist, 'SHA256SUMS'), 'utf8')
  for (const line of sums.trim().split('\n')) {
    const [digest, name] = line.split('  ') as [string, string]
    assert.equal(
      createHash('sha256')
        .update(readFileSync(join(dist, name)))
        .digest('hex'),
      digest,
      name,
    )
  }
  const bill = JSON.parse(readFileSync(join(dist, 'gatehouse-9.8.7.cdx.json'), 'utf8'))
  assert.equal(bill.metadata.component.version, '9.8.7')
  const names = bill.components.map(({ name, group }: { name: string; group?: string }) =>
    group ? `${group}/${name}` : name,
  )
  assert.ok(names.includes('fastify') && !names.includes('typescript'))

  const signers = join(folder, '..', 'signers')
  writeFileSync(signers, `release@example.com ${readFileSync(`${key}.pub`, 'utf8')}`)
  const verify = (text: string) =>
    spawnSync(
      'ssh-keygen',
      [
        '-Y',
        'verify',
        '-f',
        signers,
        '-I',
        'release@example.com',
        '-n',
        'gatehouse-release',
        '-s',
        join(dist, 'SHA256SUMS.sig'),
      ],
      { input: text },
    ).status
  assert.equal(verify(sums), 0)
  assert.notEqual(verify(sums.replace(/[0-9a-f]/, 'x')), 0)
})

/** Documents of the clone that are not what its contracts and its version make. */
function outdatedDocuments(folder: string): string[] {
  const script = `const { documents } = await import('./scripts/documents.ts')
    const { readFileSync } = await import('node:fs')
    const outdated = ([file, text]) => readFileSync(file, 'utf8') !== text
    console.log(JSON.stringify(Object.entries(documents()).filter(outdated).map(([file]) => file)))`
  const options = ['--disable-warning=ExperimentalWarning', '--input-type=module', '--eval', script]
  return JSON.parse(execFileSync(process.execPath, options, { cwd: folder, encoding: 'utf8' }))
}

/** Half a release each. */
test('a release that somebody breaks off with Ctrl-C is taken back', {
  skip,
  timeout: 120_000,
}, async (t) => {
  const { folder, begin } = clone(t)
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim()
  const before = git('rev-parse', 'HEAD')
  const releasing = begin('9.8.7')
  await poll('the version is committed', () => existsSync(join(folder, 'dist/9.8.7')))
  const ended = once(releasing, 'exit')
  // As a terminal does: to every process of the group.
  process.kill(-releasing.pid!, 'SIGINT')
  assert.deepEqual(await ended, [1, null])
  assert.deepEqual([git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag')], [before, '', ''])
  assert.ok(!existsSync(join(folder, 'dist/9.8.7')))
})

test('a release that fails while it is made changes nothing', { skip, timeout: 120_000 }, (t) => {
  const { folder, key, release } = clone(t)
  const head = () => execFileSync('git', ['rev-parse', 'HEAD'], { cwd: folder, encoding: 'utf8' })
  const before = head()
  rmSync(key)
  const failed = release('9.8.7')
  assert.equal(failed.status, 1)
  assert.match(`${failed.stderr}`, /nothing was changed/)
  assert.equal(head(), before)
  assert.equal(execFileSync('git', ['status', '--porcelain'], { cwd: folder, encoding: 'utf8' }), '')
})

test('a release that cannot be made is refused, and changes nothing', { skip, timeout: 120_000 }, (t) => {
  const { folder, release } = clone(t)
  const head = () => execFileSync('git', ['rev-parse', 'HEAD'], { cwd: folder, encoding: 'utf8' })
  const before = head()
  assert.match(`${release('0.0.1').stderr}`, /Give a version after/)
  writeFileSync(join(folder, 'more'), '')
  assert.match(`${release('9.8.7').stderr}`, /not committed/)
  rmSync(join(folder, 'more'))
  assert.equal(head(), before)
  assert.equal(execFileSync('git', ['status', '--porcelain'], { cwd: folder, encoding: 'utf8' }), '')
})
