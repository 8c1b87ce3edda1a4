import type { Sql } from 'sql-template-tag'
import type { Transaction } from './transaction.ts'

type Chain<T> = (tx: Transaction) => Promise<T>
type Lane = { held: (() => void)[]; underWay: number; hasEnded: boolean }

const longestWaitMs = 5_000

/**
 * Runs chains of statements of one transaction side by side, in as many round trips as the longest of them takes. A chain that
 * has its answers waits with what it sends next until every other chain has its answers too and sends something, or has ended.
 * Then all of it is sent together, in the order of the chains. Who takes long over its answers is not waited for.
 */
export async function inStep<const Chains extends readonly Chain<unknown>[]>(
  tx: Transaction,
  chains: Chains,
  patienceMs = longestWaitMs,
): Promise<{ -readonly [At in keyof Chains]: Awaited<ReturnType<Chains[At]>> }> {
  const lanes = chains.map((): Lane => ({ held: [], underWay: 0, hasEnded: false }))

  let patience: NodeJS.Timeout | undefined

  function goOn(): void {
    const isReady = ({ held, underWay, hasEnded }: Lane) => underWay === 0 && (hasEnded || held.length > 0)
    if (lanes.every(isReady)) sendHeld()
    else if (lanes.some(({ held }) => held.length > 0)) patience ??= setTimeout(sendHeld, patienceMs)
  }

  function sendHeld(): void {
    clearTimeout(patience)
    patience = undefined
    for (const send of lanes.flatMap((lane) => lane.held.splice(0))) send()
  }

  async function answered<Row>(lane: Lane, statement: Sql): Promise<Row[]> {
    lane.underWay++
    try {
      return await tx.query<Row>(statement)
    } finally {
      lane.underWay--
      goOn()
    }
  }

  function inLane(lane: Lane): Transaction {
    return {
      ...tx,
      query<Row>(statement: Sql): Promise<Row[]> {
        if (lane.underWay > 0) return answered(lane, statement)
        return new Promise((resolve) => {
          lane.held.push(() => resolve(answered(lane, statement)))
          goOn()
        })
      },
    }
  }

  async function run(chain: Chain<unknown>, lane: Lane): Promise<unknown> {
    try {
      return await chain(inLane(lane))
    } finally {
      lane.hasEnded = true
      goOn()
    }
  }

  // All of them, also where one fails: nothing may be sent when the transaction is over.
  const ends = await Promise.allSettled(chains.map((chain, at) => run(chain, lanes[at]!)))
  const failed = ends.find(({ status }) => status === 'rejected')
  if (failed) throw (failed as PromiseRejectedResult).reason
  return ends.map((end) => (end as PromiseFulfilledResult<unknown>).value) as never
}
