import { createHash, createHmac } from 'node:crypto'
import {
  type RegistryAnswer,
  type RegistryRequest,
  startRegistryServer,
} from '../../src/sandbox/registries/registry-server.ts'

export type BucketServer = Awaited<ReturnType<typeof startBucketServer>>

const keys = { accessKeyId: 'AKIACANARY', secretAccessKey: 'canary-of-the-secret-key' }

/** One bucket in the manner of S3, in memory. Whoever does not sign as Signature Version 4 says is refused. */
export async function startBucketServer() {
  const objects = new Map<string, Buffer>()
  const server = await startRegistryServer(answer)
  const bucket = { url: `${server.url}/packages`, prefix: 'house', region: 'eu-central-1', ...keys }

  function answer(request: RegistryRequest): RegistryAnswer {
    const { method, path, body } = request
    if (!isSigned(request)) return refusal(403, 'SignatureDoesNotMatch')
    if (!path.startsWith('/packages/')) return refusal(404, 'NoSuchBucket')
    const key = decodeURIComponent(path.slice('/packages/'.length))
    if (method === 'PUT') {
      objects.set(key, body)
      return { headers: { etag: '"x"' } }
    }
    if (method === 'DELETE') {
      objects.delete(key)
      return { status: 204 }
    }
    const content = objects.get(key)
    if (!content) return refusal(404, 'NoSuchKey')
    return { headers: { 'content-length': String(content.length), etag: '"x"' }, body: content }
  }

  return { ...server, objects, bucket }
}

function refusal(status: number, code: string): RegistryAnswer {
  const body = `<?xml version="1.0"?><Error><Code>${code}</Code><Message>canary</Message></Error>`
  return { status, headers: { 'content-type': 'application/xml' }, body }
}

/** By the description in the IAM User Guide, and by nothing that signs here. */
function isSigned({ method, path, headers }: RegistryRequest): boolean {
  const form =
    /^AWS4-HMAC-SHA256 Credential=(\w+)\/(\d{8}\/[\w-]+\/s3\/aws4_request), ?SignedHeaders=(\S+), ?Signature=(\w+)$/
  const [, keyId, scope = '', names = '', signature] = form.exec(headers.authorization ?? '') ?? []
  const signed = names.split(';').map((name) => `${name}:${headers[name]}`)
  const request = [method, path, '', ...signed, '', names, headers['x-amz-content-sha256']].join('\n')
  const digest = createHash('sha256').update(request).digest('hex')
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, digest].join('\n')
  const hmac = (key: string | Buffer, part: string) => createHmac('sha256', key).update(part).digest()
  const key = scope.split('/').reduce<string | Buffer>(hmac, `AWS4${keys.secretAccessKey}`)
  return keyId === keys.accessKeyId && names.includes('host') && hmac(key, text).toString('hex') === signature
}
