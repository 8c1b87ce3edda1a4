import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import type { TestContext } from 'node:test'
import { program, without } from '../deploy/programs.ts'
import { poll } from '../servers/real-process.ts'
import { unusedPort } from './unused-port.ts'

/** For the option `skip` of a test. */
export const withoutMinio = without('minio', 'go install github.com/minio/minio@latest')
export const minioKeys = { MINIO_ROOT_USER: 'gatehouse', MINIO_ROOT_PASSWORD: 'canary-of-the-secret-key' }

/** The settings of a Gatehouse that keeps packages there. */
export function minioSettings(url: string) {
  return {
    GATEHOUSE_S3_ENDPOINT: url,
    GATEHOUSE_S3_BUCKET: 'packages',
    GATEHOUSE_S3_ACCESS_KEY_ID: minioKeys.MINIO_ROOT_USER,
    GATEHOUSE_S3_SECRET_ACCESS_KEY: minioKeys.MINIO_ROOT_PASSWORD,
  }
}

/** With a bucket `packages`, in a folder of its own. */
export async function startMinio(t: TestContext, folder = mkdtempSync(join(tmpdir(), 'gatehouse-minio-'))) {
  mkdirSync(join(folder, 'packages'), { recursive: true })
  const port = await unusedPort()
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess
  const isLive = () =>
    fetch(`${url}/minio/health/live`).then(
      ({ ok }) => ok,
      () => false,
    )
  async function start(): Promise<void> {
    const env = { ...process.env, ...minioKeys, MINIO_BROWSER: 'off' }
    const args = ['server', folder, '--quiet', '--address', `127.0.0.1:${port}`]
    child = spawn(program('minio')!, args, { env, stdio: 'ignore' })
    await poll('MinIO is live', isLive)
  }
  async function stop(): Promise<void> {
    child.kill('SIGKILL')
    await poll('MinIO has gone', async () => !(await isLive()))
  }
  t.after(() => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  await start()
  /** Names of objects below the prefix. MinIO keeps each as a folder with this file in it. */
  const objects = (): string[] => {
    const place = join(folder, 'packages/gatehouse')
    if (!existsSync(place)) return []
    const files = readdirSync(place, { recursive: true, withFileTypes: true })
    return files.filter(({ name }) => name === 'xl.meta').map(({ parentPath }) => relative(place, parentPath))
  }
  return { url, objects, stop, start }
}
