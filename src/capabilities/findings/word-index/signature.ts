/** What of findings is searched for by its words. */
export type Words = { path: string; title: string; message: string; cwes: string[]; vulnerabilityIds: string[] }

export type WantedWords = {
  pathPrefix: string | undefined
  text: string | undefined
  cwes: string[] | undefined
  vulnerabilityIds: string[] | undefined
}

export const signatureBits = 8_192
export const blockParts = 8
export const partBits = signatureBits / blockParts
const pathStep = 3
const longestPath = 120
const mostChoices = 20
const zero = '0'.charCodeAt(0)

/** Ids of findings, both ends included. */
export type Range = { first: number; last: number }

/** Of a block and of its parts, as PostgreSQL reads bits. */
export type Signatures = { signature: string; parts: string }

/**
 * Of the findings of a block: a bit for each part of a text, beginning of a path, weakness and vulnerability that one of them has.
 * The signatures of the parts are shorter: a bit of theirs stands for those that are so many apart.
 */
export function signaturesOf(block: Range, findings: readonly (Words & { id: number })[]): Signatures {
  const whole = new Uint8Array(signatureBits)
  const parts = new Uint8Array(signatureBits)
  for (const [part, { first, last }] of partsOf(block).entries()) {
    const own = new Uint8Array(signatureBits)
    for (const finding of findings) if (finding.id >= first && finding.id <= last) mark(own, finding)
    for (let bit = 0; bit < signatureBits; bit++) {
      if (own[bit] === 0) continue
      whole[bit] = 1
      parts[part * partBits + partBit(bit)] = 1
    }
  }
  return { signature: written(whole), parts: written(parts) }
}

/** Equal parts of its ids; those of a few ids may be empty. */
export function partsOf({ first, last }: Range): Range[] {
  const width = Math.ceil((last - first + 1) / blockParts)
  return Array.from({ length: blockParts }, (_, part) => ({
    first: first + part * width,
    last: Math.min(last, first + (part + 1) * width - 1),
  }))
}

function mark(bits: Uint8Array, { path, title, message, cwes, vulnerabilityIds }: Words): void {
  markText(bits, title)
  markText(bits, message)
  for (const bit of pathBits(path)) bits[bit] = 1
  for (const cwe of cwes) bits[bitOf('c', cwe)] = 1
  for (const id of vulnerabilityIds) bits[bitOf('v', id)] = 1
}

const partBit = (bit: number): number => bit & (partBits - 1)

function written(bits: Uint8Array): string {
  return Buffer.from(bits.map((bit) => bit + zero)).toString('latin1')
}

/** Every bit of `all` must be there, and of each of `any` at least one. */
export type WantedBits = { all: number[]; any: number[][] }

/** Undefined where signatures tell nothing. */
export function bitsWanted({ pathPrefix, text, cwes, vulnerabilityIds }: WantedWords): WantedBits | undefined {
  const all = pathPrefix === undefined ? [] : pathBits(pathPrefix)
  if (text !== undefined) {
    const bits = new Uint8Array(signatureBits)
    markText(bits, text)
    for (const bit of bits.keys()) if (bits[bit] === 1) all.push(bit)
  }
  const choices = [cwes?.map((cwe) => bitOf('c', cwe)) ?? [], vulnerabilityIds?.map((id) => bitOf('v', id)) ?? []]
  const any = choices.filter((bits) => bits.length > 0 && bits.length <= mostChoices)
  return all.length > 0 || any.length > 0 ? { all, any } : undefined
}

/** The bits as PostgreSQL reads them: one parameter, however many they are. */
export function maskOf(bits: readonly number[]): string {
  return mask(signatureBits, bits)
}

/** The same bits in the signature of a part. */
export function partMaskOf(bits: readonly number[]): string {
  return mask(partBits, bits.map(partBit))
}

function mask(length: number, bits: readonly number[]): string {
  const bytes = Buffer.alloc(length / 8)
  for (const bit of bits) bytes[bit >> 3]! |= 0x80 >> (bit & 7)
  return `x${bytes.toString('hex')}`
}

/** Three letters in a row, of ASCII alone: what is the same letter in another case is a matter of opinion beyond it. */
function markText(bits: Uint8Array, text: string): void {
  const lower = text.toLowerCase().replaceAll('\u0307', '')
  let [a, b] = [128, 128]
  for (let at = 0; at < lower.length; at++) {
    const c = lower.charCodeAt(at)
    if (a < 128 && b < 128 && c < 128) bits[mixed((a << 14) | (b << 7) | c)] = 1
    a = b
    b = c
  }
}

function pathBits(path: string): number[] {
  const bits: number[] = []
  for (let end = pathStep; end <= Math.min(path.length, longestPath); end += pathStep) {
    bits.push(bitOf('p', path.slice(0, end)))
  }
  return bits
}

/** FNV-1a over the kind and the word. */
function bitOf(kind: string, word: string): number {
  let hash = 0x811c9dc5
  const text = kind + word
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  return mixed(hash)
}

/** The mixing of MurmurHash3, so that neighbours lie apart. */
function mixed(hash: number): number {
  let mix = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35)
  return (mix ^ (mix >>> 16)) & (signatureBits - 1)
}
