import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..', '..')
export const deploy = join(root, 'deploy')

/** Where a program is, as administrators install it too; undefined where it is not. */
export function program(name: string): string | undefined {
  if (name.startsWith('/')) return name
  const folders = [...(process.env.PATH ?? '').split(':'), '/usr/sbin', '/usr/local/bin', join(homedir(), 'go/bin')]
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

/** For the option `skip` of a test. */
export function without(name: string, how: string): string | false {
  return program(name) ? false : `${name} is not installed (${how})`
}

/** What it said, on both channels, and how it ended. */
export function run(
  name: string,
  args: string[],
  { cwd = root, input = '' } = {},
): { status: number | null; stdout: string; said: string } {
  const options = { cwd, input, encoding: 'utf8', timeout: 120_000, maxBuffer: 64 * 1024 * 1024 } as const
  const { status, stdout, stderr } = spawnSync(program(name)!, args, options)
  return { status, stdout, said: stdout + stderr }
}
