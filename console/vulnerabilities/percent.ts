const figures = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 })

/** A part as people read it: 0.94358 is 94.4 %, and 0.00043 is 0.043 %. */
export function percent(part: number): string {
  return `${figures.format(part * 100)}\u00a0%`
}

/** Of a comparison with all others: 0.99957 is 99.9 %, never all of them. */
export function roundedDown(part: number): string {
  return `${Math.floor(Number((part * 1_000).toFixed(6))) / 10}\u00a0%`
}
