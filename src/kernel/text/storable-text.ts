/** PostgreSQL holds neither U+0000 nor halves of surrogate pairs, which a cut may leave as well. */
export function storableText(text: string, longest = text.length): string {
  return text.slice(0, longest).toWellFormed().replaceAll('\0', '\ufffd')
}
