import { gomod } from '../../ecosystems/gomod/ecosystem.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { type Digest, moduleDigest } from '../cache/digest.ts'
import { parsedJson } from '../parsed-json.ts'
import { isCanonical } from './route.ts'

/** What a proxy says of a version. */
export type ModuleInfo = { version: string; time: Date | undefined; text: string }

/** What a checksum database says that the files of a version hash to. */
export type ModuleSums = { zip: Digest | undefined; mod: Digest | undefined }

/** Go Modules Reference, `$module/@v/list`: a version a line, and no line where there is none. */
export function readVersionList(body: Buffer): string[] {
  const lines = body.toString('utf8').split('\n')
  // Some proxies write the time of a version after it.
  const versions = lines.map((line) => line.trim().split(/\s/, 1)[0]!).filter((version) => version !== '')
  if (!versions.every(isCanonical)) throw new Fault('bad_upstream', 'What the proxy sent is not a list of versions.')
  return [...new Set(versions)]
}

export function listWithout(body: Buffer, refused: ReadonlySet<string>): string {
  const left = readVersionList(body).filter((version) => !refused.has(version))
  return left.map((version) => `${version}\n`).join('')
}

/** The newest of these: a release before every pre-release, as `go get module@latest` chooses. */
export function newestOf(versions: readonly string[]): string | undefined {
  const sorted = [...versions].sort((a, b) => gomod.compare(b, a))
  return sorted.find((version) => !version.includes('-')) ?? sorted[0]
}

export function readInfo(body: Buffer): ModuleInfo {
  const broken = () => new Fault('bad_upstream', 'What the proxy sent does not tell of a version.')
  const info = parsedJson(body, 'What the proxy sent', broken)
  if (typeof info !== 'object' || info === null) throw broken()
  const { Version: version, Time: time } = info as { Version?: unknown; Time?: unknown }
  if (typeof version !== 'string' || !isCanonical(version)) throw broken()
  const at = new Date(typeof time === 'string' ? time : '')
  return { version, time: Number.isNaN(at.getTime()) ? undefined : at, text: body.toString('utf8') }
}

/** The answer to a lookup: the number of the record, its lines as in `go.sum`, and the signed tree, which clients check. */
export function readSums(answer: string, module: string, version: string): ModuleSums {
  const lines = answer.split('\n').slice(1)
  const sumOf = (what: string) => lines.find((line) => line.startsWith(`${module} ${what} h1:`))?.split('h1:')[1]
  const hex = (text = '') => Buffer.from(text, 'base64').toString('hex')
  const [zip, mod] = [sumOf(version), sumOf(`${version}/go.mod`)]
  if (mod === undefined) throw new Fault('bad_upstream', 'What the checksum database sent does not tell of the module.')
  return { zip: moduleDigest('h1', hex(zip)), mod: moduleDigest('h1mod', hex(mod)) }
}
