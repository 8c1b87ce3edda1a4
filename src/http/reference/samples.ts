import type { Endpoint } from '../../kernel/contract/endpoint.ts'
import type { Example } from './examples.ts'

/** The call of an example for a shell: `$GATEHOUSE` is the address of the server, `$TOKEN` the credentials. */
export function curlOf(contract: Endpoint, example: Example): string {
  const parts = [`curl${contract.method === 'GET' ? '' : ` -X ${contract.method}`} "$GATEHOUSE${example.url}"`]
  if (contract.security !== 'none') parts.push('-H "Authorization: Bearer $TOKEN"')
  if (contract.upload?.form === 'document') parts.push(`--data-binary @${fileOf(example)}`)
  else if (contract.upload?.form === 'fields') parts.push(...fieldsOf(example.request, contract.upload.files))
  else if (contract.upload?.form === 'multipart') parts.push(...formOf(example.request as Record<string, unknown>))
  else if (example.request !== undefined) {
    parts.push('-H "Content-Type: application/json"', `-d ${quoted(JSON.stringify(example.request))}`)
  }
  return parts.join(' \\\n  ')
}

function formOf(form: Record<string, unknown>): string[] {
  return Object.entries(form).map(([name, part]) =>
    typeof part === 'string'
      ? `-F ${quoted(`${name}=@${name}`)}`
      : `-F ${quoted(`${name}=${JSON.stringify(part)};type=application/json`)}`,
  )
}

function fieldsOf(request: unknown, files: readonly string[]): string[] {
  return Object.entries(request as Record<string, unknown>).map(
    ([name, value]) => `-F ${quoted(files.includes(name) ? `${name}=@${name}` : `${name}=${value}`)}`,
  )
}

function fileOf({ url }: Example): string {
  return quoted(new URL(url, 'http://localhost').searchParams.get('path') ?? 'file')
}

/** For a POSIX shell, in which nothing has a meaning between single quotes but the next one. */
function quoted(text: string): string {
  return /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
