import { createHash, randomBytes, randomInt } from 'node:crypto'

// RFC 8628 §6.1: no vowels, so that no words come out, and nothing that looks like something else.
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const typedLength = 8
const linkLength = 24

export type DeviceKind = 'code' | 'link'

/** What the program polls with. The deployment is in it: the endpoint is told nothing else. */
export function newDeviceCode(deploymentId: number): string {
  return `${deploymentId}.${randomBytes(32).toString('base64url')}`
}

export function deploymentOf(deviceCode: string): number | undefined {
  const [, id] = /^([1-9][0-9]{0,14})\.[A-Za-z0-9_-]{43}$/.exec(deviceCode) ?? []
  return id === undefined ? undefined : Number(id)
}

/** Short enough to type; of a link three times as long, so that no link can stand for a code that has to be typed. */
export function newUserCode(kind: DeviceKind): string {
  const length = kind === 'link' ? linkLength : typedLength
  let code = ''
  for (let at = 0; at < length; at++) code += letters[randomInt(letters.length)]
  return kind === 'link' ? code : `${code.slice(0, 4)}-${code.slice(4)}`
}

/** People write small letters and leave the hyphen out. */
export function hashOfUserCode(code: string): Buffer {
  return hashOf(code.toUpperCase().replace(/[^A-Z]/g, ''))
}

export function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
