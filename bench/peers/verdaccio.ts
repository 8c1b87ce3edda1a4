import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Verdaccio = { url: string; stop(): Promise<void> }

const version = '6.10.4'

/** The peer of the npm adapter, as a process of its own, with the same upstream and nobody asked to sign in. */
export async function startVerdaccio(upstream: string): Promise<Verdaccio> {
  const program = await install()
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-verdaccio-'))
  const config = join(folder, 'config.yaml')
  writeFileSync(
    config,
    `storage: ${join(folder, 'storage')}
uplinks:
  upstream: { url: '${upstream}/', maxage: 60m, cache: true }
packages:
  '**': { access: $all, proxy: upstream }
log: { type: stdout, format: json, level: fatal }
`,
  )
  const port = await freePort()
  const child = spawn(process.execPath, [program, '--config', config, '--listen', `127.0.0.1:${port}`], {
    stdio: 'ignore',
    cwd: folder,
  })
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; !(await isUp(`${url}/-/ping`)); tries++) {
    if (tries > 300 || child.exitCode !== null) throw new Error('Verdaccio does not start')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  async function stop(): Promise<void> {
    child.kill('SIGKILL')
    await once(child, 'exit')
    rmSync(folder, { recursive: true, force: true })
  }
  return { url, stop }
}

async function install(): Promise<string> {
  const folder = join(tmpdir(), `gatehouse-verdaccio-${version}`)
  const program = join(folder, 'node_modules', 'verdaccio', 'bin', 'verdaccio')
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  // Its own choice of node-fetch cannot be had from every mirror.
  const manifest = { private: true, dependencies: { verdaccio: version }, overrides: { 'node-fetch': '2.7.0' } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  const child = spawn('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' })
  const [code] = await once(child, 'exit')
  if (code !== 0 || !existsSync(program))
    throw new Error('Verdaccio cannot be installed: is the npm registry reachable?')
  return program
}

async function isUp(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.ok,
    () => false,
  )
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
