type Words = Uint8Array | Uint16Array | Uint32Array
type Make<T extends Words> = new (length: number) => T

/** A typed array that is written from its start on and does not know its length beforehand. */
export function growingArray<T extends Words>(Kind: Make<T>) {
  let words = new Kind(1024)
  let length = 0

  function reserve(count: number): void {
    if (length + count <= words.length) return
    const larger = new Kind(Math.max(words.length * 2, length + count))
    larger.set(words)
    words = larger
  }

  function push(value: number): void {
    reserve(1)
    words[length++] = value
  }

  function append(values: ArrayLike<number>): void {
    reserve(values.length)
    words.set(values, length)
    length += values.length
  }

  /** A copy of exactly what was written, in a buffer of its own. */
  function cut(): T {
    const exact = new Kind(length)
    exact.set(words.subarray(0, length))
    return exact
  }

  return { push, append, cut, length: () => length }
}
