/** PostgreSQL, section 8.15.6: every element in quotes, with backslashes before quotes and backslashes. */
export function textArray(values: readonly string[]): string {
  return values.length === 0 ? '{}' : `{"${values.map(escaped).join('","')}"}`
}

/** Hardly any value needs it, and looking is cheaper than replacing. */
function escaped(value: string): string {
  return value.includes('"') || value.includes('\\') ? value.replace(/["\\]/g, '\\$&') : value
}

export function bytesArray(values: readonly Uint8Array[]): string {
  const hex = ({ buffer, byteOffset, byteLength }: Uint8Array) =>
    Buffer.from(buffer, byteOffset, byteLength).toString('hex')
  return values.length === 0 ? '{}' : `{"\\\\x${values.map(hex).join('","\\\\x')}"}`
}

/** Of values that need no quotes: numbers, truth values, letters. */
export function plainArray(values: readonly (number | boolean | string)[]): string {
  return `{${values.join(',')}}`
}
