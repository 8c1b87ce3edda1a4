import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { trimBoth } from '../../../kernel/text/trim.ts'

const runFile = promisify(execFile)

/** The top folder of the checkout that a folder is in; undefined outside of one. Asks no git, which may not be there. */
export function topOfCheckout(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at
    if (dirname(at) === at) return undefined
  }
}

/** Where `info/exclude` of a checkout is: worktrees and submodules keep it elsewhere (gitrepository-layout(5)). */
export function excludeFile(top: string): string | undefined {
  const dotGit = join(top, '.git')
  try {
    if (statSync(dotGit).isDirectory()) return join(dotGit, 'info', 'exclude')
    const gitFolder = resolve(
      top,
      readFileSync(dotGit, 'utf8')
        .replace(/^gitdir: /, '')
        .trim(),
    )
    const shared = join(gitFolder, 'commondir')
    const common = existsSync(shared) ? resolve(gitFolder, readFileSync(shared, 'utf8').trim()) : gitFolder
    return join(common, 'info', 'exclude')
  } catch {
    return undefined
  }
}

export type Checkout = { repository?: string; ref?: string; commit?: string }

/** What git says about a checkout, and why it says nothing where it does not. */
export async function describeCheckout(folder: string): Promise<Checkout & { silence?: string }> {
  const [top, ref, commit, origin] = await Promise.all([
    git(folder, 'rev-parse', '--show-toplevel'),
    git(folder, 'symbolic-ref', '--quiet', '--short', 'HEAD'),
    git(folder, 'rev-parse', '--verify', '--quiet', 'HEAD'),
    git(folder, 'remote', 'get-url', 'origin'),
  ])
  if (top.failure) return { silence: top.failure }
  const repository = origin.output && repositoryOfUrl(origin.output)
  return {
    ...(repository ? { repository } : {}),
    ...(ref.output ? { ref: ref.output } : {}),
    ...(commit.output ? { commit: commit.output } : {}),
  }
}

export async function git(folder: string, ...args: string[]): Promise<{ output?: string; failure?: string }> {
  try {
    const { stdout } = await runFile('git', ['-C', folder, ...args], { env: { ...process.env, LC_ALL: 'C' } })
    return { output: stdout.trim() }
  } catch (error) {
    const { code, stderr } = error as { code?: unknown; stderr?: string }
    if (code === 'ENOENT') return { failure: 'git is not installed' }
    const said = stderr?.split('\n')[0]?.replace(/^fatal: /, '')
    return { failure: said ? `git says: ${said}` : 'git failed' }
  }
}

/** `group/name` of the address of a remote: a URL, or the `host:path` of scp. Undefined for a path on this machine. */
export function repositoryOfUrl(remote: string): string | undefined {
  const path = /^[a-z][a-z0-9+.-]*:\/\//i.test(remote)
    ? /^(?!file:)[a-z0-9+.-]+:\/\/[^/]+\/(.*)$/i.exec(remote)?.[1]
    : /^(?:[^@/:]+@)?(?:\[[^\]]+\]|[^/:]{2,}):(?!\/\/)(.*)$/.exec(remote)?.[1]
  const name = path && trimBoth(path.split(/[?#]/, 1)[0]!, '/').replace(/\.git$/, '')
  return (name && decoded(name)) || undefined
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
