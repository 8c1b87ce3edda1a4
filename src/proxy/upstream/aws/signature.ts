import { createHash, createHmac } from 'node:crypto'

/** Who signs; those of an assumed role have a session token. */
export type AwsKeys = { accessKeyId: string; secretAccessKey: string; sessionToken?: string | undefined }

export type Unsigned = {
  method: string
  url: URL
  headers: Record<string, string>
  body: string
  service: string
  region: string
  at: Date
}

/** The headers to send besides Authorization, and the value of that one. */
export type Signed = { headers: Record<string, string>; authorization: string }

/** AWS Signature Version 4 ("Create a signed AWS API request", IAM User Guide). All headers that are given are signed. */
export function sign({ method, url, headers, body, service, region, at }: Unsigned, keys: AwsKeys): Signed {
  const time = at.toISOString().replace(/[-:]|\.\d+/g, '')
  const scope = `${time.slice(0, 8)}/${region}/${service}/aws4_request`
  const sent: Record<string, string> = { ...headers, 'x-amz-date': time }
  if (keys.sessionToken !== undefined) sent['x-amz-security-token'] = keys.sessionToken
  const signed = Object.entries({ ...sent, host: url.host }).sort(([a], [b]) => (a < b ? -1 : 1))
  const names = signed.map(([name]) => name).join(';')
  const canonical = [
    method,
    url.pathname.split('/').map(encoded).join('/'),
    canonicalQuery(url.searchParams),
    ...signed.map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}`),
    '',
    names,
    createHash('sha256').update(body).digest('hex'),
  ].join('\n')
  const text = ['AWS4-HMAC-SHA256', time, scope, createHash('sha256').update(canonical).digest('hex')].join('\n')
  const key = [...scope.split('/')].reduce<string | Buffer>(hmac, `AWS4${keys.secretAccessKey}`)
  const signature = hmac(key, text).toString('hex')
  const authorization = `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`
  return { headers: sent, authorization }
}

function canonicalQuery(query: URLSearchParams): string {
  const pairs = [...query].map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
  return pairs.sort((a, b) => (a < b ? -1 : 1)).join('&')
}

/** RFC 3986 §2.3: everything but the unreserved. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
