import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isNewer, releaseChangelog } from './changelog.ts'

/**
 * `npm run release -- 0.3.0`: sets the version, dates the changelog, commits, makes what is published with a bill of materials
 * and signed checksums in `dist/0.3.0`, and tags the commit. It pushes nothing. If something goes wrong, nothing was changed.
 * `GATEHOUSE_RELEASE_KEY` is the SSH key that signs: its file, or the public part of one that an agent holds.
 */
const root = join(import.meta.dirname, '..')
const [version = ''] = process.argv.slice(2)
const key = process.env.GATEHOUSE_RELEASE_KEY
const read = (file: string) => readFileSync(join(root, file), 'utf8')
const write = (file: string, text: string) => writeFileSync(join(root, file), text)

const { version: present } = JSON.parse(read('package.json')) as { version: string }
if (!isNewer(version, present)) fail(`Give a version after ${present}: npm run release -- 1.2.3`)
if (!key) fail('Set GATEHOUSE_RELEASE_KEY to the SSH key that signs the checksums.')
if (git('status', '--porcelain') !== '') fail('There are changes that are not committed.')
const folder = join(root, 'dist', version)
const before = git('rev-parse', 'HEAD')

// Ctrl-C ends the program that is running, and with a listener not this one: what was done is taken back.
process.on('SIGINT', () => {})

try {
  const notes = setVersion()
  git('commit', '--quiet', '--all', '--message', `Release ${version}`)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `release-notes-${version}.md`), `${notes}\n`)
  makeArtifacts()
  sign()
  git('tag', '--annotate', `v${version}`, '--message', `Gatehouse ${version}`)
} catch (error) {
  git('reset', '--quiet', '--hard', before)
  rmSync(folder, { recursive: true, force: true })
  fail(`${(error as Error).message}\nThe release was not made, and nothing was changed.`)
}
console.log(`Gatehouse ${version} is tagged, and in ${folder}:`)
for (const name of readdirSync(folder)) console.log(`  ${name}`)
console.log(`Publish it: git push --follow-tags, then the files, then the image as docs/deploying.md says.`)

/** Wherever it is written. Answers what is new in it. */
function setVersion(): string {
  const { changelog, notes } = releaseChangelog(read('CHANGELOG.md'), version, new Date().toISOString().slice(0, 10))
  write('CHANGELOG.md', changelog)
  replaceFirst('package.json', `"version": "${present}"`, `"version": "${version}"`, 1)
  replaceFirst('package-lock.json', `"version": "${present}"`, `"version": "${version}"`, 2)
  replaceFirst('deploy/helm/gatehouse/Chart.yaml', `ersion: ${present}`, `ersion: ${version}`, 2)
  replaceFirst('openapi.json', `"version":"${present}"`, `"version":"${version}"`, 1)
  return notes
}

/** The lockfile has the version of the package before those of all others, and the API's document its own before its examples. */
function replaceFirst(file: string, from: string, to: string, times: number): void {
  let text = read(file)
  for (let n = 0; n < times; n++) {
    if (!text.includes(from)) throw new Error(`${file} does not have the version ${present} where it should.`)
    text = text.replace(from, to)
  }
  write(file, text)
}

function makeArtifacts(): void {
  // Not by npm, whose scripts would first install again for the lockfile that has just changed.
  run(process.execPath, ['--disable-warning=ExperimentalWarning', join(root, 'scripts/prepack.ts')])
  run('npm', ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', folder])
  const sbom = run('npm', [
    'sbom',
    '--sbom-format=cyclonedx',
    '--sbom-type=application',
    '--omit=dev',
    '--package-lock-only',
  ])
  writeFileSync(join(folder, `gatehouse-${version}.cdx.json`), sbom)
  const chart = join(folder, `gatehouse-chart-${version}.tgz`)
  // The same bytes whoever makes it, and whenever.
  const same = ['--sort=name', '--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', '--mode=u=rwX,go=rX']
  run('tar', [...same, '-I', 'gzip -n', '-cf', chart, '-C', join(root, 'deploy/helm'), 'gatehouse'])
}

function sign(): void {
  const lines = readdirSync(folder)
    .sort()
    .map((name) => `${digestOf(join(folder, name))}  ${basename(name)}\n`)
  const sums = join(folder, 'SHA256SUMS')
  writeFileSync(sums, lines.join(''))
  run('ssh-keygen', ['-Y', 'sign', '-q', '-n', 'gatehouse-release', '-f', key!, sums])
}

function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

function git(...args: string[]): string {
  return run('git', args).trim()
}

function run(program: string, args: string[]): string {
  return execFileSync(program, args, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] })
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}
