/** What `feed` stopped at. */
export const scanned = { chunkEnd: 0, keyBegin: 1, keyEnd: 2, valueBegin: 3, valueEnd: 4, fault: 5 } as const
export type Scanned = (typeof scanned)[keyof typeof scanned]

export type JsonScanner = {
  /** Reads on from `from`; `position` says how far it came. The same bytes go on until it says `chunkEnd`. */
  feed(bytes: Uint8Array, from: number): Scanned
  /** After the last chunk: `valueEnd` for a number that only the end of the document ended, else `chunkEnd` or `fault`. */
  finish(): Scanned
  /** Reports nothing inside the value just begun, only its end. */
  mute(): void
  position: number
  line: number
  fault: { code: 'not-json' | 'truncated' | 'too-deep'; detail: string }
}

const state = {
  value: 0,
  announced: 1,
  valueOrEnd: 2,
  keyOrEnd: 3,
  key: 4,
  colon: 5,
  next: 6,
  end: 7,
  string: 8,
  escape: 9,
  hex: 10,
  literal: 11,
  minus: 12,
  zero: 13,
  digits: 14,
  point: 15,
  fraction: 16,
  exponent: 17,
  exponentSign: 18,
  exponentDigits: 19,
} as const

const expected: readonly string[] = [
  'a value',
  'a value',
  "a value or ']'",
  "a key or '}'",
  'a key',
  "':'",
  "',' or the end of the array or object",
  'the end of the document',
  'a character of a string (control characters must be escaped)',
  'one of "\\/bfnrtu after a backslash',
  'a hexadecimal digit',
  "'true', 'false' or 'null'",
  ...Array(8).fill('a number'),
]

const simpleEscapes = new Set(Buffer.from('"\\/bfnrt'))
const literals = new Map([...'tfn'].map((c, i) => [c.charCodeAt(0), Buffer.from(['true', 'false', 'null'][i]!)]))
const numberEnds = new Set<number>([state.zero, state.digits, state.fraction, state.exponentDigits])

/** The grammar of RFC 8259 over bytes that come in pieces. Strings are not checked for UTF-8 here. */
export function createJsonScanner(maximumDepth: number): JsonScanner {
  const isObject = new Uint8Array(maximumDepth + 1)
  let depth = 0
  let now: number = state.value
  let inKey = false
  let hexLeft = 0
  let literal = Buffer.alloc(0)
  let literalAt = 0
  let mutedAt = -1

  const scanner: JsonScanner = { feed, finish, mute, position: 0, line: 1, fault: { code: 'not-json', detail: '' } }
  return scanner

  function mute(): void {
    mutedAt = depth
  }

  function stop(at: number, what: Scanned): Scanned {
    scanner.position = at
    return what
  }

  function refuse(at: number, code: 'not-json' | 'truncated' | 'too-deep', detail: string): Scanned {
    scanner.fault = { code, detail }
    return stop(at, scanned.fault)
  }

  /** Whether the end of the value that has just ended is to be told. */
  function ended(): boolean {
    now = depth === 0 ? state.end : state.next
    if (mutedAt === -1) return true
    if (mutedAt !== depth) return false
    mutedAt = -1
    return true
  }

  function finish(): Scanned {
    if (numberEnds.has(now) && depth === 0) return ended() ? scanned.valueEnd : scanned.chunkEnd
    if (now === state.end) return scanned.chunkEnd
    return refuse(0, 'truncated', `The document ends where ${expected[now]} should follow.`)
  }

  function feed(bytes: Uint8Array, from: number): Scanned {
    const length = bytes.length
    let at = from
    while (at < length) {
      let byte = bytes[at]!

      if (now === state.string) {
        while (byte !== 0x22 && byte !== 0x5c && byte >= 0x20) {
          at += 1
          if (at === length) return stop(at, scanned.chunkEnd)
          byte = bytes[at]!
        }
        if (byte < 0x20) return unexpected(byte, at)
        at += 1
        if (byte === 0x5c) now = state.escape
        else if (inKey) {
          inKey = false
          now = state.colon
          if (mutedAt === -1) return stop(at, scanned.keyEnd)
        } else if (ended()) return stop(at, scanned.valueEnd)
        continue
      }

      if (now < state.string) {
        while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
          if (byte === 0x0a) scanner.line += 1
          at += 1
          if (at === length) return stop(at, scanned.chunkEnd)
          byte = bytes[at]!
        }
        if (now === state.next) {
          if (byte === 0x2c) now = isObject[depth] === 1 ? state.key : state.value
          else if (byte === (isObject[depth] === 1 ? 0x7d : 0x5d)) {
            depth -= 1
            if (ended()) return stop(at + 1, scanned.valueEnd)
          } else return unexpected(byte, at)
          at += 1
          continue
        }
        if (now === state.colon) {
          if (byte !== 0x3a) return unexpected(byte, at)
          now = state.value
          at += 1
          continue
        }
        if (now === state.key || now === state.keyOrEnd) {
          if (byte === 0x22) {
            now = state.string
            inKey = true
            if (mutedAt === -1) return stop(at + 1, scanned.keyBegin)
          } else if (byte === 0x7d && now === state.keyOrEnd) {
            depth -= 1
            if (ended()) return stop(at + 1, scanned.valueEnd)
          } else return unexpected(byte, at)
          at += 1
          continue
        }
        if (now === state.valueOrEnd && byte === 0x5d) {
          depth -= 1
          at += 1
          if (ended()) return stop(at, scanned.valueEnd)
          continue
        }
        if (now === state.end) return unexpected(byte, at)
        const begun = beginning(byte)
        if (begun === -1) return unexpected(byte, at)
        if (mutedAt === -1 && now !== state.announced) {
          now = state.announced
          return stop(at, scanned.valueBegin)
        }
        if (begun === state.keyOrEnd || begun === state.valueOrEnd) {
          if (depth === maximumDepth)
            return refuse(at, 'too-deep', `It is nested more than ${maximumDepth} levels deep.`)
          depth += 1
          isObject[depth] = begun === state.keyOrEnd ? 1 : 0
        }
        now = begun
        at += 1
        continue
      }

      if (now >= state.minus) {
        const after = numberStep(now, byte)
        if (after === -1) {
          if (!numberEnds.has(now)) return unexpected(byte, at)
          if (ended()) return stop(at, scanned.valueEnd)
          continue
        }
        now = after
      } else if (now === state.literal) {
        if (byte !== literal[literalAt]) return unexpected(byte, at)
        literalAt += 1
        if (literalAt === literal.length && ended()) return stop(at + 1, scanned.valueEnd)
      } else if (now === state.escape) {
        if (byte === 0x75) {
          now = state.hex
          hexLeft = 4
        } else if (simpleEscapes.has(byte)) now = state.string
        else return unexpected(byte, at)
      } else {
        const letter = byte | 0x20
        if (!isDigit(byte) && (letter < 0x61 || letter > 0x66)) return unexpected(byte, at)
        hexLeft -= 1
        if (hexLeft === 0) now = state.string
      }
      at += 1
    }
    return stop(at, scanned.chunkEnd)
  }

  /** The state after the first byte of a value, -1 where none begins so. */
  function beginning(byte: number): number {
    if (byte === 0x22) return state.string
    if (byte === 0x7b) return state.keyOrEnd
    if (byte === 0x5b) return state.valueOrEnd
    if (byte === 0x2d) return state.minus
    if (byte === 0x30) return state.zero
    if (isDigit(byte)) return state.digits
    const word = literals.get(byte)
    if (!word) return -1
    literal = word
    literalAt = 1
    return state.literal
  }

  function unexpected(byte: number, at: number): Scanned {
    const shown = byte > 0x20 && byte < 0x7f ? `'${String.fromCharCode(byte)}'` : `byte 0x${byte.toString(16)}`
    return refuse(at, 'not-json', `Expected ${expected[now]} but found ${shown}.`)
  }
}

function numberStep(now: number, byte: number): number {
  if (isDigit(byte)) {
    if (now === state.minus) return byte === 0x30 ? state.zero : state.digits
    if (now === state.digits) return state.digits
    if (now === state.point || now === state.fraction) return state.fraction
    return now === state.zero ? -1 : state.exponentDigits
  }
  if (byte === 0x2e && (now === state.zero || now === state.digits)) return state.point
  const mayHaveExponent = now === state.zero || now === state.digits || now === state.fraction
  if ((byte | 0x20) === 0x65 && mayHaveExponent) return state.exponent
  if ((byte === 0x2b || byte === 0x2d) && now === state.exponent) return state.exponentSign
  return -1
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}
