import type { Answer, TestGatehouse } from '../../../test/gatehouse.ts'
import { recordCall } from '../../../test/record-examples.ts'

/** A CycloneDX bill of npm packages. */
export function bill(packages: Record<string, string>): string {
  const components = Object.entries(packages).map(([name, version]) => ({
    type: 'library',
    'bom-ref': `ref-${name}`,
    name,
    version,
    purl: `pkg:npm/${name}@${version}`,
  }))
  return JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components })
}

export const inBase64 = (text: string) => Buffer.from(text).toString('base64')

/** Speaks as clients of Dependency-Track do. */
export function dtrackClient(gatehouse: TestGatehouse, token = gatehouse.owner.token) {
  const headers = { 'x-api-key': token }

  const get = (path: string) => gatehouse.call('GET', `/api${path}`, { as: '', headers })
  const send = (method: string, path: string, body: object) =>
    gatehouse.call(method, `/api/v1${path}`, { as: '', headers, body })
  const put = (path: string, body: object) => send('PUT', path, body)
  const putBom = (packages: Record<string, string>, more: object) =>
    put('/bom', { bom: inBase64(bill(packages)), ...more })

  async function post(path: string, fields: Record<string, string>): Promise<Answer> {
    const boundary = 'Boundary-7f3a'
    const parts = Object.entries(fields).map(
      ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    )
    const body = `${parts.join('')}--${boundary}--\r\n`
    const response = await fetch(`${gatehouse.url}/api/v1${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': `multipart/form-data; boundary=${boundary}` },
      body,
    })
    const answer = await response.json()
    if (response.status === 200) {
      recordCall({ method: 'POST', url: `/api/v1${path}`, mediaType: 'application/json', body, answer })
    }
    return { status: response.status, headers: response.headers, body: answer }
  }

  return { get, put, send, post, putBom }
}
