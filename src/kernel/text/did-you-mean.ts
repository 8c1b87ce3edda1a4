/** The candidate closest to what was typed, if it is close enough that a typing error is likely. */
export function didYouMean(typed: string, candidates: readonly string[]): string | undefined {
  if (typed.length > 100) return undefined
  let best: string | undefined
  let bestDistance = Math.max(2, Math.floor(typed.length / 3)) + 1
  for (const candidate of candidates) {
    const distance = editDistance(typed.toLowerCase(), candidate.toLowerCase(), bestDistance)
    if (distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

/** Levenshtein distance, given up at `limit`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const current = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const substitution = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const value = Math.min(substitution, previous[j]! + 1, current[j - 1]! + 1)
      current.push(value)
      least = Math.min(least, value)
    }
    if (least >= limit) return limit
    previous = current
  }
  return previous[b.length]!
}
