/** PostgreSQL, section 8.15.6: every element in quotes, with backslashes before quotes and backslashes. */
export function textArray(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join(',')}}`
}

/** Of values that need no quotes: numbers, truth values, letters. */
export function plainArray(values: readonly (number | boolean | string)[]): string {
  return `{${values.join(',')}}`
}
