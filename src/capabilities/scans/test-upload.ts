import sql from 'sql-template-tag'
import type { Answer, TestGatehouse } from '../../../test/gatehouse.ts'
import { recordCall } from '../../../test/record-examples.ts'

export type Files = Record<string, string | Uint8Array>

export const scansPath = (deploymentId: number) => `/api/scans/v1/deployments/${deploymentId}/scans`

/** A lockfile of npm with these packages, each at a version. */
export function packageLock(packages: Record<string, string>): string {
  const entries = Object.entries(packages).map(([name, version]) => [`node_modules/${name}`, { version }])
  const root = { dependencies: Object.fromEntries(Object.keys(packages).map((name) => [name, '*'])) }
  return JSON.stringify({ lockfileVersion: 3, packages: { '': root, ...Object.fromEntries(entries) } }, null, 1)
}

export function multipart(scan: unknown, files: Files, boundary = 'Boundary-7f3a'): Buffer {
  const parts: (string | Uint8Array)[] = [
    `--${boundary}\r\nContent-Disposition: form-data; name="scan"\r\nContent-Type: application/json\r\n\r\n`,
    typeof scan === 'string' ? scan : JSON.stringify(scan),
  ]
  for (const [name, content] of Object.entries(files)) {
    parts.push(`\r\n--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="x"\r\n\r\n`, content)
  }
  parts.push(`\r\n--${boundary}--\r\n`)
  return Buffer.concat(parts.map((part) => Buffer.from(part as string)))
}

export type Sending = { as?: string; deploymentId?: number; headers?: Record<string, string>; path?: string }

/** Sends bytes as they are; `path` is what follows the path of the scans. */
export async function send(
  gatehouse: TestGatehouse,
  body: Uint8Array<ArrayBuffer>,
  how: Sending = {},
): Promise<Answer> {
  const url = gatehouse.url + scansPath(how.deploymentId ?? gatehouse.owner.deploymentId) + (how.path ?? '')
  const headers = {
    authorization: `Bearer ${how.as ?? gatehouse.owner.token}`,
    'content-type': 'multipart/form-data; boundary=Boundary-7f3a',
    ...how.headers,
  }
  const response = await fetch(url, { method: 'POST', headers, body })
  const answer = await response.json()
  if (response.status === 200 && !how.headers) {
    const made = { method: 'POST', url: new URL(url).pathname, mediaType: 'application/json', answer }
    recordCall({ ...made, body: Buffer.from(body).toString() })
  }
  return { status: response.status, headers: response.headers, body: answer }
}

export function upload(gatehouse: TestGatehouse, scan: object, files: Files, how: Sending = {}): Promise<Answer> {
  return send(gatehouse, Buffer.from(multipart({ ref: 'main', ...scan }, files)), how)
}

export type Row = { path: string; ecosystem: string; name: string; version: string }

/** What the database holds as the inventory of a repository. */
export function inventoryOf(
  gatehouse: TestGatehouse,
  repository: string,
  deploymentId = gatehouse.owner.deploymentId,
): Promise<Row[]> {
  return gatehouse.db.as({ deploymentId }).query(sql`select f.path, p.ecosystem, p.name, v.version
    from repository r
    join dependency d on d.deployment_id = r.deployment_id and d.repository_id = r.id
    join lockfile f on f.deployment_id = d.deployment_id and f.repository_id = r.id and f.id = d.lockfile_id
    join package p on p.deployment_id = d.deployment_id and p.id = d.package_id
    join package_version v on v.deployment_id = d.deployment_id and v.id = d.package_version_id and v.package_id = p.id
    where r.deployment_id = ${deploymentId} and r.name = ${repository}
    order by f.path, d.ordinal`)
}

export async function packagesOf(gatehouse: TestGatehouse, repository: string): Promise<string[]> {
  return (await inventoryOf(gatehouse, repository)).map((row) => `${row.path}: ${row.name}@${row.version}`)
}
