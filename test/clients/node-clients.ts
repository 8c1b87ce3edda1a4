import { clientFromNpm, npmrc, type Ran, runClient } from './package-clients.ts'

/** A package manager of Node, and how it is told what. */
export type NodeClient = {
  run(folder: string, args: string[], env?: Record<string, string>): Promise<Ran>
  install: string[]
  /** Installs what the lockfile says, and nothing else. */
  frozen: string[]
  lockfile: string
  /** What points it at us. */
  files(url: string, token: string): Record<string, string>
  /** What it prints when a version that is refused is pinned, and when it is locked. */
  saysOfPin: RegExp
  saysOfLock: RegExp
}

const ours = /Gatehouse refuses left@1\.2\.0: .*MAL-2026-7/

const npm = {
  install: ['install'],
  frozen: ['ci'],
  lockfile: 'package-lock.json',
  files: (url: string, token: string) => ({ '.npmrc': npmrc(url, token) }),
  saysOfPin: ours,
  saysOfLock: ours,
}
// Of what is not in the metadata it says only that it is not there.
const pnpm = {
  ...npm,
  install: ['install', '--no-frozen-lockfile'],
  frozen: ['install', '--frozen-lockfile'],
  lockfile: 'pnpm-lock.yaml',
  saysOfPin: /1\.2\.0/,
}
// As of 11 it compares the lockfile with the metadata before it fetches anything.
const youngPnpm = { ...pnpm, saysOfLock: /left@1\.2\.0 could not be checked/ }
// Yarn 1 prints nothing of what a registry answers but the number of the status.
const yarn1 = {
  ...npm,
  frozen: ['install', '--frozen-lockfile'],
  lockfile: 'yarn.lock',
  saysOfPin: /1\.2\.0/,
  saysOfLock: /left-1\.2\.0\.tgz: .*403 Forbidden/,
}
const yarn = {
  ...yarn1,
  install: ['install', '--no-immutable'],
  frozen: ['install', '--immutable'],
  files: (url: string, token: string) => ({ '.yarnrc.yml': yarnrc(url, token) }),
  saysOfLock: ours,
}
const bun = {
  ...npm,
  frozen: ['install', '--frozen-lockfile'],
  lockfile: 'bun.lock',
  saysOfPin: /1\.2\.0/,
  saysOfLock: /left-1\.2\.0\.tgz - 403/,
}

const deno = {
  ...npm,
  frozen: ['install', '--frozen'],
  lockfile: 'deno.lock',
  saysOfPin: /1\.2\.0/,
}

type Find = () => Promise<NodeClient | undefined>

const usual: Record<string, Find> = {
  npm: async () => ({ ...npm, run: (folder, args, env = {}) => runClient('npm', args, { folder, env }) }),
  'yarn 1': () => script(yarn1, 'yarn', '1.22.22', 'bin/yarn.js'),
  'yarn 4': () => script(yarn, '@yarnpkg/cli-dist', '4.18.1', 'bin/yarn.js'),
  'pnpm 10': () => script(pnpm, 'pnpm', '10.34.8', 'bin/pnpm.cjs'),
  'pnpm 12': () => binary(youngPnpm, `@pnpm/exe.${process.platform}-${process.arch}`, '12.18.0', 'pnpm'),
  bun: () => binary(bun, `@oven/bun-${process.platform}-${process.arch}`, '1.4.4', 'bin/bun'),
  deno: () => binary(deno, `@deno/${denoPlatform()}`, '2.9.6', 'deno'),
}

const older: Record<string, Find> = {
  'npm 6': () => script(npm, 'npm', '6.14.18', 'bin/npm-cli.js'),
  'npm 8': () => script(npm, 'npm', '8.19.4', 'bin/npm-cli.js'),
  'npm 10': () => script(npm, 'npm', '10.9.4', 'bin/npm-cli.js'),
  'yarn 2': () => script(yarn, '@yarnpkg/cli-dist', '2.4.2', 'bin/yarn.js'),
  'yarn 3': () => script(yarn, '@yarnpkg/cli-dist', '3.8.7', 'bin/yarn.js'),
  'pnpm 7': () => script(pnpm, 'pnpm', '7.33.7', 'bin/pnpm.cjs'),
  'pnpm 8': () => script(pnpm, 'pnpm', '8.15.9', 'bin/pnpm.cjs'),
  'pnpm 9': () => script(pnpm, 'pnpm', '9.15.9', 'bin/pnpm.cjs'),
  'pnpm 11': () => script(youngPnpm, 'pnpm', '11.28.11', 'bin/pnpm.mjs'),
}

/** Each by its name and version, undefined where npm cannot get it. The older ones take minutes, and only where asked for. */
export const nodeClients = process.env.GATEHOUSE_OLDER_CLIENTS === '1' ? { ...usual, ...older } : usual

async function binary(client: Omit<NodeClient, 'run'>, name: string, version: string, program: string) {
  const file = await clientFromNpm(name, version, program)
  if (file === undefined) return undefined
  return { ...client, run: (folder: string, args: string[], env = {}) => runClient(file, args, { folder, env }) }
}

async function script(client: Omit<NodeClient, 'run'>, name: string, version: string, program: string) {
  const file = await clientFromNpm(name, version, program)
  if (file === undefined) return undefined
  const run = (folder: string, args: string[], env = {}) =>
    runClient(process.execPath, [file, ...args], { folder, env })
  return { ...client, run }
}

function denoPlatform(): string {
  return `${process.platform}-${process.arch}${process.platform === 'linux' ? '-glibc' : ''}`
}

function yarnrc(url: string, token: string): string {
  const host = new URL(url).hostname
  return `npmRegistryServer: "${url}/firewall/1/npm/"
npmAlwaysAuth: true
npmAuthToken: "${token}"
unsafeHttpWhitelist: ["${host}"]
nodeLinker: node-modules
enableTelemetry: false
enableGlobalCache: false
`
}
