/** One run of digits or of letters in a version. */
export type Segment = { readonly numeric: boolean; readonly text: string }

/** The runs of ASCII digits and ASCII letters, in order; all else only separates (RubyGems' and CocoaPods' scan). */
export function alphanumericSegments(version: string): Segment[] {
  return segmentsOf(version, classOfAlphanumeric)
}

/** The runs of ASCII digits and of anything else: nothing is lost. */
export function digitSegments(version: string): Segment[] {
  return segmentsOf(version, (code) => (isDigit(code) ? 'digit' : 'word'))
}

export function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

export function isAllDigits(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (!isDigit(text.charCodeAt(i))) return false
  return text !== ''
}

export function isZero(digits: string): boolean {
  for (let i = 0; i < digits.length; i++) if (digits.charCodeAt(i) !== 0x30) return false
  return true
}

/** Without the zeros at the end of a row of numbers: 1.0 is 1. */
export function withoutTrailingZeros(numbers: readonly string[]): readonly string[] {
  let end = numbers.length
  while (end > 0 && isZero(numbers[end - 1]!)) end--
  return numbers.slice(0, end)
}

type CharacterClass = 'digit' | 'word' | 'separator'

function classOfAlphanumeric(code: number): CharacterClass {
  if (isDigit(code)) return 'digit'
  const letter = code | 0x20
  return code < 0x80 && letter >= 0x61 && letter <= 0x7a ? 'word' : 'separator'
}

function segmentsOf(version: string, classOf: (code: number) => CharacterClass): Segment[] {
  const segments: Segment[] = []
  let start = 0
  while (start < version.length) {
    const kind = classOf(version.charCodeAt(start))
    let end = start + 1
    while (end < version.length && classOf(version.charCodeAt(end)) === kind) end++
    if (kind !== 'separator') segments.push({ numeric: kind === 'digit', text: version.slice(start, end) })
    start = end
  }
  return segments
}
