/** Takes pieces of wanted lengths out of a stream of pieces of any length, and keeps no more than one of each. */
export function createByteQueue(chunks: AsyncIterable<Uint8Array>) {
  const source = chunks[Symbol.asyncIterator]()
  let chunk: Uint8Array = new Uint8Array()

  /** Exactly this many bytes; undefined where the stream has fewer left. */
  async function take(length: number): Promise<Uint8Array | undefined> {
    const parts: Uint8Array[] = []
    let missing = length
    while (missing > 0) {
      if (chunk.length === 0 && !(await advance())) return undefined
      const part = chunk.subarray(0, missing)
      chunk = chunk.subarray(part.length)
      missing -= part.length
      parts.push(part)
    }
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts, length)
  }

  /** Whether there were this many bytes. */
  async function skip(length: number): Promise<boolean> {
    let missing = length
    while (missing > 0) {
      if (chunk.length === 0 && !(await advance())) return false
      const passed = Math.min(missing, chunk.length)
      chunk = chunk.subarray(passed)
      missing -= passed
    }
    return true
  }

  async function advance(): Promise<boolean> {
    while (true) {
      const { done, value } = await source.next()
      if (done) return false
      if (value.length === 0) continue
      chunk = value
      return true
    }
  }

  return { take, skip }
}
