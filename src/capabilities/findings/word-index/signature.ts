/** What of findings is searched for by its words. */
export type Words = { path: string; title: string; message: string; cwes: string[]; vulnerabilityIds: string[] }

export type WantedWords = {
  pathPrefix: string | undefined
  paths: string[] | undefined
  text: string | undefined
  cwes: string[] | undefined
  vulnerabilityIds: string[] | undefined
  firstVulnerabilityIds: string[] | undefined
}

export const signatureBits = 8_192
export const blockParts = 64
export const partBits = 256
const pathStep = 3
const longestPath = 120
const mostChoices = 20

/** Ids of findings, both ends included. */
export type Range = { first: number; last: number }

/** Of a block and of its parts, as PostgreSQL reads bits. */
export type Signatures = { signature: string; parts: string }

/**
 * Of the findings of a block: a bit for each part of a text, beginning of a path, weakness and vulnerability that one of them has.
 * The signatures of the parts are shorter: a bit of theirs stands for those that are so many apart. They are turned by 90 degrees:
 * for each bit, which of the parts have it.
 */
export function signaturesOf(block: Range, findings: readonly (Words & { id: number })[]): Signatures {
  const whole = Buffer.alloc(signatureBits / 8)
  const parts = Buffer.alloc((blockParts * partBits) / 8)
  const width = partWidth(block)
  for (const finding of findings) {
    const part = Math.floor((finding.id - block.first) / width)
    bitsOf(finding, (bit) => {
      set(whole, bit)
      set(parts, partBit(bit) * blockParts + part)
    })
  }
  return { signature: written(whole), parts: written(parts) }
}

/** The ids of a part. Parts are equally wide; the last ones of a few ids may be empty. */
export function partOf(block: Range, part: number): Range {
  const width = partWidth(block)
  const first = block.first + part * width
  return { first, last: Math.min(block.last, first + width - 1) }
}

const partWidth = ({ first, last }: Range): number => Math.ceil((last - first + 1) / blockParts)

function bitsOf({ path, title, message, cwes, vulnerabilityIds }: Words, add: (bit: number) => void): void {
  bitsOfText(title, add)
  bitsOfText(message, add)
  for (const bit of pathBits(path)) add(bit)
  for (const cwe of cwes) add(bitOf('c', cwe))
  for (const id of vulnerabilityIds) add(bitOf('v', id))
}

/** Of the signature of a part. */
export const partBit = (bit: number): number => bit & (partBits - 1)

function set(bits: Buffer, bit: number): void {
  bits[bit >> 3]! |= 0x80 >> (bit & 7)
}

const written = (bits: Buffer): string => `x${bits.toString('hex')}`

/** Every bit of `all` must be there, and of each of `any` at least one. */
export type WantedBits = { all: number[]; any: number[][] }

/** Undefined where signatures tell nothing. */
export function bitsWanted(wanted: WantedWords): WantedBits | undefined {
  const { pathPrefix, paths, text, cwes, vulnerabilityIds, firstVulnerabilityIds } = wanted
  const all = pathPrefix === undefined ? [] : pathBits(pathPrefix)
  if (text !== undefined) {
    const bits = new Set<number>()
    bitsOfText(text, (bit) => bits.add(bit))
    all.push(...bits)
  }
  const choices = [
    lastBits(paths ?? []),
    cwes?.map((cwe) => bitOf('c', cwe)) ?? [],
    ...[vulnerabilityIds, firstVulnerabilityIds].map((ids) => ids?.map((id) => bitOf('v', id)) ?? []),
  ]
  const any = choices.filter((bits) => bits.length > 0 && bits.length <= mostChoices)
  return all.length > 0 || any.length > 0 ? { all, any } : undefined
}

/** The bits as PostgreSQL reads them: one parameter, however many they are. */
export function maskOf(bits: readonly number[]): string {
  const mask = Buffer.alloc(signatureBits / 8)
  for (const bit of bits) set(mask, bit)
  return written(mask)
}

/** Three letters in a row, of ASCII alone: what is the same letter in another case is a matter of opinion beyond it. */
function bitsOfText(text: string, add: (bit: number) => void): void {
  const lower = text.toLowerCase().replaceAll('\u0307', '')
  let [a, b] = [128, 128]
  for (let at = 0; at < lower.length; at++) {
    const c = lower.charCodeAt(at)
    if (a < 128 && b < 128 && c < 128) add(mixed((a << 14) | (b << 7) | c))
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

/** Of each path the bit of its longest beginning; none where one of them has no bit, for then any finding may be in it. */
function lastBits(paths: readonly string[]): number[] {
  const bits = paths.flatMap((path) => pathBits(path).slice(-1))
  return bits.length === paths.length ? bits : []
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
