import { crc32 } from 'node:zlib'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { createYield } from '../../../kernel/threads/event-loop-yield.ts'
import type { Refusal } from './event.ts'
import type { TimedEvent } from './event-batch.ts'

type Written = [
  at: number,
  deployment: number,
  ecosystem: EcosystemId,
  name: string,
  version: string,
  person?: number,
  token?: number,
  watched?: Refusal,
]

const newline = 10
const sumDigits = 8

/** A line for what was let through: its checksum and the event. JSON has no line break in it. */
export function lineOf({ at, deploymentId, ecosystem, name, version, personId, tokenId, refusal }: TimedEvent): string {
  const written: Written = [at.getTime(), deploymentId, ecosystem, name, version, personId, tokenId]
  if (refusal) written.push(refusal)
  const text = JSON.stringify(written)
  return `${sumOf(text)} ${text}\n`
}

/** The events up to the first line that is not as it was written: a process that dies, or a machine, leaves the last one torn. */
export async function eventsIn(lines: Buffer): Promise<TimedEvent[]> {
  const pause = createYield()
  const events: TimedEvent[] = []
  let start = 0
  for (let end = lines.indexOf(newline); end >= 0; end = lines.indexOf(newline, start)) {
    const turn = pause()
    if (turn) await turn
    const line = lines.toString('utf8', start, end)
    const text = line.slice(sumDigits + 1)
    if (line !== `${sumOf(text)} ${text}`) break
    events.push(eventOf(JSON.parse(text) as Written))
    start = end + 1
  }
  return events
}

function eventOf([
  at,
  deploymentId,
  ecosystem,
  name,
  version,
  personId = 0,
  tokenId = 0,
  refusal,
]: Written): TimedEvent {
  const artifact = { ecosystem, name, version }
  const event = { at: new Date(at), deploymentId, ...artifact, refused: false, advisoryId: '', personId, tokenId }
  return refusal ? { ...event, refusal } : event
}

function sumOf(text: string): string {
  return crc32(text).toString(16).padStart(sumDigits, '0')
}
