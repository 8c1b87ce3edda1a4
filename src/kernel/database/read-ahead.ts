import type { Transaction } from './transaction.ts'

/**
 * A read that is sent before its answer is needed, together with other statements, so that it costs no round trip of its own.
 * Only for what the transaction itself does not change in between.
 */
export function createReadAhead<Key, Answer>(read: (tx: Transaction, key: Key) => Promise<Answer>) {
  const sent = new WeakMap<object, { key: Key; answer: Promise<Answer> }>()

  function begin(tx: Transaction, key: Key): void {
    const answer = read(tx, key)
    // Whoever takes the answer hears of it. If nobody does, the transaction has failed with something else.
    answer.catch(() => {})
    sent.set(tx.key, { key, answer })
  }

  /** Once: whoever asks again reads again. */
  function take(tx: Transaction, key: Key): Promise<Answer> {
    const known = sent.get(tx.key)
    sent.delete(tx.key)
    return known?.key === key ? known.answer : read(tx, key)
  }

  return { begin, take }
}
