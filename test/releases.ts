import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { root } from './servers/real-process.ts'

type Cleaning = { after(clean: () => void): void }

/**
 * The last commit whose code does not know a migration, and whose own migrations are as they are today: while a release is
 * being made a migration may still change, and a database of such a day is nobody's. Undefined without history.
 */
export function commitBefore(migration: string): string | undefined {
  const added = git('log', '--diff-filter=A', '--format=%H', '-1', '--', `migrations/${migration}`)
  // Not committed yet: the newest one is before it.
  const newest = git('rev-parse', '--verify', '--quiet', added ? `${added}^` : 'HEAD')
  if (!newest) return
  const older = git('log', '--format=%P', newest, '--', 'migrations').split(/\s+/)
  return [newest, ...older].find(
    (commit) =>
      commit && git('diff', '--name-only', '--diff-filter=MDR', '--no-renames', commit, '--', 'migrations') === '',
  )
}

/** The newest released version that has a migration. */
export function releaseWith(migration: string): string | undefined {
  const tags = git('tag', '--list', 'v*', '--sort=-version:refname').split('\n').filter(Boolean)
  return tags.find((tag) => git('ls-tree', '--name-only', tag, `migrations/${migration}`) !== '')
}

/** The sources as of a commit, in a folder of their own, with the libraries of today. */
export function sourcesOf(t: Cleaning, commit: string): string {
  const folder = emptyFolder(t)
  const archive = execFileSync('git', ['archive', commit], { cwd: root, maxBuffer: 2 ** 30 })
  execFileSync('tar', ['-x', '-C', folder], { input: archive })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}

/** The sources as they are, with one more migration. */
export function sourcesWith(t: Cleaning, migration: string, text: string): string {
  const folder = emptyFolder(t)
  for (const name of ['src', 'migrations', 'package.json', 'bin', 'scripts', 'console']) {
    cpSync(join(root, name), join(folder, name), { recursive: true })
  }
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'migrations', migration), text)
  return folder
}

function emptyFolder(t: Cleaning): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-release-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Nothing where there is no history, or git has no answer. */
function git(...args: string[]): string {
  const { status, stdout } = spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  return status === 0 ? stdout.trim() : ''
}
