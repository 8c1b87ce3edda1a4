import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir, userInfo } from 'node:os'
import { basename, delimiter, dirname, join } from 'node:path'
import { linesFor } from '../../src/domain/package-clients.ts'

export type Ran = { code: number; output: string }

const quiet = { CI: '1', NO_UPDATE_NOTIFIER: '1' }

/** Runs a package manager in a folder, with a home and caches of its own, so that nothing of this machine helps it. */
export function runClient(
  program: string,
  args: string[],
  { folder, env = {} }: { folder: string; env?: Record<string, string> },
): Promise<Ran> {
  const home = join(folder, '.home')
  mkdirSync(home, { recursive: true })
  const { PATH = '', NODE_EXTRA_CA_CERTS = '', JAVA_HOME = '' } = process.env
  const own = {
    PATH,
    NODE_EXTRA_CA_CERTS,
    JAVA_HOME,
    HOME: home,
    ...quiet,
    YARN_CACHE_FOLDER: join(home, 'yarn'),
    ...env,
  }
  const set = Object.fromEntries(Object.entries(own).filter(([, value]) => value !== ''))
  return new Promise((resolve) => {
    const options = { cwd: folder, env: set, timeout: 240_000, maxBuffer: 64 * 1024 * 1024 }
    execFile(program, args, options, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) || 1 : 0, output: `${stdout}\n${stderr}` })
    })
  })
}

/** Whether a program can be run here at all. */
export function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)))
}

/** An empty project with these files. */
export function makeProject(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-project-'))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  return folder
}

/** Points npm, yarn and pnpm at us, by the lines that our own command prints. */
export function npmrc(url: string, token: string): string {
  const { text } = linesFor('npm', url, 1)
  return `${text.replace('${GATEHOUSE_TOKEN}', token)}\nalways-auth=true\nfund=false\naudit=false\n`
}

/** Where a client stays once it was installed, for all runs of this user. */
export function clientFolder(name: string): string {
  const { uid } = userInfo()
  const folder = join(tmpdir(), `gatehouse-clients-${uid}`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // What is in it is run.
  if (statSync(folder).uid !== uid) throw new Error(`${folder} belongs to somebody else`)
  return join(folder, name)
}

/** The program of an npm package, installed once into a folder outside the project; undefined where npm cannot get it. */
export async function clientFromNpm(
  name: string,
  version: string,
  program: string,
  flags: string[] = [],
): Promise<string | undefined> {
  const folder = clientFolder(`${name.replace('/', '-')}-${version}`)
  const script = join(folder, 'node_modules', name, program)
  if (existsSync(script)) return script
  const fresh = mkdtempSync(join(tmpdir(), 'gatehouse-client-'))
  writeFileSync(join(fresh, 'package.json'), '{}')
  const args = ['install', '--no-save', '--no-audit', '--no-fund', ...flags, `${name}@${version}`]
  const code = await new Promise<number>((resolve) => {
    execFile('npm', args, { cwd: fresh, timeout: 240_000 }, (error) => resolve(error ? 1 : 0))
  })
  if (code === 0 && !existsSync(folder)) renameSync(fresh, folder)
  else rmSync(fresh, { recursive: true, force: true })
  return existsSync(script) ? script : undefined
}

/**
 * A folder with a Python package and what it needs, installed once outside the project; undefined where pip cannot get it. What it
 * needs may have to be older than the newest.
 */
export async function clientFromPypi(name: string, version: string, needs: string[] = []): Promise<string | undefined> {
  const folder = clientFolder(`pypi-${name}-${version}`)
  if (existsSync(folder)) return folder
  const fresh = mkdtempSync(join(tmpdir(), 'gatehouse-client-'))
  // Python compiles what it loads; a client loads a small part of what comes with it.
  const flags = ['--quiet', '--no-input', '--no-compile', '--target', fresh]
  const args = ['-m', 'pip', 'install', ...flags, `${name}==${version}`, ...needs]
  const code = await new Promise<number>((resolve) => {
    execFile('python3', args, { cwd: fresh, timeout: 180_000 }, (error) => resolve(error ? 1 : 0))
  })
  if (code === 0 && !existsSync(folder)) renameSync(fresh, folder)
  else rmSync(fresh, { recursive: true, force: true })
  return existsSync(folder) ? folder : undefined
}

/** A program built once outside the project, by the Go of this machine; undefined where there is none or it cannot get it. */
export async function clientFromGo(path: string, version: string, name = basename(path)): Promise<string | undefined> {
  if (!isInstalled('go')) return undefined
  const folder = clientFolder(`${name}-${version}`)
  const program = join(folder, name)
  if (existsSync(program)) return program
  const fresh = mkdtempSync(join(tmpdir(), 'gatehouse-client-'))
  const { HOME = '', GOPROXY = '' } = process.env
  const env = { GOBIN: fresh, HOME, ...(GOPROXY && { GOPROXY }) }
  await runClient('go', ['install', `${path}@${version}`], { folder: fresh, env })
  if (existsSync(join(fresh, name)) && !existsSync(folder)) renameSync(fresh, folder)
  else rmSync(fresh, { recursive: true, force: true })
  return existsSync(program) ? program : undefined
}

/** Some files of a tag of a public repository, fetched once outside the project; undefined where it is out of reach. */
export async function sourceFromGit(repository: string, tag: string, files: string[]): Promise<string | undefined> {
  const folder = clientFolder(`git-${repository.replace('/', '-')}-${tag}`)
  if (existsSync(folder)) return folder
  const fresh = mkdtempSync(join(tmpdir(), 'gatehouse-client-'))
  const address = `https://github.com/${repository}`
  const clone = [
    'clone',
    '--quiet',
    '--depth',
    '1',
    '--filter=blob:none',
    '--no-checkout',
    '--branch',
    tag,
    address,
    '.',
  ]
  const git = (args: string[]) =>
    new Promise<boolean>((resolve) => {
      execFile('git', args, { cwd: fresh, timeout: 120_000 }, (error) => resolve(!error))
    })
  const done = (await git(clone)) && (await git(['checkout', '--quiet', tag, '--', ...files]))
  if (done && !existsSync(folder)) renameSync(fresh, folder)
  else rmSync(fresh, { recursive: true, force: true })
  return existsSync(folder) ? folder : undefined
}

/** rustup finds the toolchain in its own folder; all else of Cargo is in the project, whose settings point it at us. */
export function runCargo(folder: string, args: string[], token: string): Promise<Ran> {
  const { RUSTUP_HOME = join(homedir(), '.rustup') } = process.env
  const env = { GATEHOUSE_TOKEN: token, RUSTUP_HOME, CARGO_HOME: join(folder, '.home', 'cargo'), CARGO_NET_RETRY: '0' }
  return runClient('cargo', args, { folder, env })
}

export function cargoProject(url: string, dependencies: Record<string, string>): string {
  const needs = Object.entries(dependencies).map(([name, wanted]) => `${name} = "${wanted}"\n`)
  return makeProject({
    'Cargo.toml': `[package]\nname = "project"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\n${needs.join('')}`,
    'src/lib.rs': '',
    '.cargo/config.toml': linesFor('cargo', url, 1).text,
  })
}

export type GoServer = { url: string; cert: string; token: string }

export function goProject(server: GoServer, imports: string[]): string {
  const lines = imports.map((path) => `import _ "${path}"\n`)
  return makeProject({
    'go.mod': 'module project\n\ngo 1.19\n',
    // A package, not a program: for a program Go compiles all of its runtime.
    'project.go': `package project\n\n${lines.join('')}`,
    'cert.pem': server.cert,
  })
}

/** By the lines that our own command prints. It sends no credentials over plain http, so the server has a certificate. */
export function runGo(folder: string, args: string[], server: GoServer, more: Record<string, string>): Promise<Ran> {
  const env = {
    GATEHOUSE_TOKEN: server.token,
    SSL_CERT_FILE: join(folder, 'cert.pem'),
    GOPATH: join(folder, '.home', 'go'),
    GOCACHE: join(folder, '.home', 'cache'),
    GOFLAGS: '-modcacherw -buildvcs=false',
    GOTOOLCHAIN: 'local',
    ...more,
  }
  return runClient('sh', ['-ec', `${linesFor('go', server.url, 1).text}\nexec go "$@"`, 'sh', ...args], { folder, env })
}
