import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '..', '..')

/** They bring hundreds of packages with them, so they are not among ours: they are fetched when they are asked for. */
const tools = {
  '@redocly/cli': '2.73.0',
  '@stoplight/spectral-cli': '6.16.3',
  'openapi-typescript': '7.13.0',
  'openapi-fetch': '0.17.0',
  '@hey-api/openapi-ts': '0.95.0',
  orval: '8.38.0',
  typescript: '5.9.3',
}

export type Tools = { folder: string; use(program: string, ...given: string[]): Promise<string> }

/** Installs the tools beside our packages, once; undefined where the registry cannot be reached. */
export async function openTools(): Promise<Tools | undefined> {
  const folder = join(root, 'node_modules', '.cache', 'openapi-tools')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: tools }))
  // The tools want the Node that runs this, which need not be the one in the path.
  const env = { ...process.env, PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}` }
  const options = { cwd: folder, env, maxBuffer: 64 * 1024 * 1024 }
  try {
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps'], options)
  } catch {
    return undefined
  }
  return {
    folder,
    async use(program, ...given) {
      const { stdout, stderr } = await run(join(folder, 'node_modules', '.bin', program), given, options).catch(
        (error) => {
          throw new Error(`${program}: ${error.stdout}${error.stderr}`)
        },
      )
      return stdout + stderr
    },
  }
}
