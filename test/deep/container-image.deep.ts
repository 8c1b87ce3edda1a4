import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { program, root, run } from '../deploy/programs.ts'
import { poll } from '../servers/real-process.ts'

/**
 * The image, built by the real program and run as it says: as its user, on a read-only root file system, with the embedded
 * database. Without a container runtime, which may be missing where tests run: namespaces and chroot are enough.
 */
const image = 'localhost/gatehouse-test'
const bases = ['docker.io/library/node:24-bookworm-slim', 'docker.io/library/debian:bookworm-slim']

function missing(): string | false {
  if (process.getuid?.() !== 0) return 'building the image this way takes root'
  if (!program('buildah')) return 'buildah is not installed (Debian: apt-get install buildah)'
  const isThere = (base: string) =>
    run('buildah', ['images', base]).status === 0 || run('buildah', ['pull', base]).status === 0
  return bases.every(isThere) ? false : `the base images ${bases.join(' and ')} cannot be had`
}

test('the image builds, and runs without root and without writing to its root', {
  skip: missing(),
  timeout: 1_800_000,
}, async (t) => {
  const buildah = async (...args: string[]) =>
    (await promisify(execFile)('buildah', args, { cwd: root, maxBuffer: 64 * 1024 * 1024 })).stdout.trim()
  await buildah('bud', '--isolation=chroot', '--pull-never', '--format=docker', '--tag', image, '.')
  const { config } = JSON.parse(await buildah('inspect', '--type=image', image)).Docker
  assert.deepEqual([config.User, config.Cmd, config.StopSignal], ['10001:10001', ['serve'], 'SIGTERM'])
  assert.match(config.Healthcheck.Test.join(' '), /readiness-check/)

  const container = await buildah('from', '--pull-never', image)
  t.after(() => buildah('rm', container))
  const place = await buildah('mount', container)
  for (const folder of ['var/lib/gatehouse', 'backups']) {
    const { uid, gid, mode } = statSync(join(place, folder))
    assert.deepEqual([uid, gid, mode & 0o777], [10001, 10001, 0o700], folder)
  }
  const port = await unusedPort()
  const settings = [...config.Env, 'HOST=127.0.0.1', `PORT=${port}`, 'GATEHOUSE_FEED=none']
  const script = `set -e
    mount --bind "$1" "$1"; mount -o remount,bind,ro "$1"
    mount -t tmpfs tmpfs "$1/tmp"; chmod 1777 "$1/tmp"
    mount -t tmpfs -o uid=10001,gid=10001,mode=0700 tmpfs "$1/var/lib/gatehouse"
    mount -t proc proc "$1/proc"; mount --rbind /dev "$1/dev"
    place="$1"; shift
    exec env -i "$@"`
  const command = ['chroot', '--userspec=10001:10001', place, ...config.Entrypoint, ...config.Cmd]
  const isolated = ['--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', script, '-', place]
  const child = spawn('unshare', [...isolated, ...settings, ...command], { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const channel of [child.stdout, child.stderr]) channel.on('data', (chunk) => (said += chunk))
  const ended = once(child, 'exit')
  t.after(() => child.kill('SIGKILL'))
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/api/readiness-check`).then(
      ({ ok }) => ok,
      () => false,
    )
  await poll('it is ready', async () => child.exitCode !== null || answers(), 120_000)
  assert.equal(child.exitCode, null, said)
  const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: 'text/html' } })
  assert.match(await page.text(), /\/assets\/main-/)
  // The first process of the container, as a runtime would stop it.
  const { stdout } = await promisify(execFile)('pgrep', ['--parent', String(child.pid)])
  process.kill(Number(stdout.trim()), 'SIGTERM')
  assert.deepEqual(await ended, [0, null], said)
})

async function unusedPort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as { port: number }
  await once(server.close(), 'close')
  return port
}
