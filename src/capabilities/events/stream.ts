import type { Actor } from '../../kernel/access/actor.ts'
import type { ChangeName } from '../../kernel/changes/change.ts'
import type { EventStream } from '../../kernel/contract/api.ts'

/** Up to which notice somebody has heard, and when that was. */
export type Position = { id: number; at: number }

export type OpenStream = EventStream & {
  readonly actor: Actor
  readonly sessionId: string
  readonly openedAt: number
  tell(names: Iterable<ChangeName>, position: Position): void
  beat(position: Position): void
  end(): void
}

const hello = 'retry: 3000\n'

/** One connection of one person. What waits to be sent is a set of names, however slow the reader is. */
export function openStream(
  who: { actor: Actor; sessionId: string; openedAt: number },
  start: Position,
  whenGone: (stream: OpenStream) => void,
): OpenStream {
  const pending = new Set<ChangeName>()
  let head = hello
  let position = start
  let due = true
  let wake = () => {}
  let over = () => {}
  let ended = false

  function take(): string {
    if (!due) return ''
    due = false
    const names = [...pending]
    pending.clear()
    const told = names.length > 0 ? `event: changed\ndata: ${JSON.stringify({ changed: names })}\n` : ': nothing new\n'
    const text = `${head}id: ${position.id}-${position.at}\n${told}\n`
    head = ''
    return text
  }

  function tell(names: Iterable<ChangeName>, at: Position): void {
    const before = pending.size
    for (const name of names) pending.add(name)
    position = at
    if (pending.size > before) beat(at)
  }

  function beat(at: Position): void {
    position = at
    due = true
    wake()
  }

  const stream: OpenStream = {
    ...who,
    take,
    tell,
    beat,
    attach(tellSender, tellEnd) {
      wake = tellSender
      over = tellEnd
      if (ended) over()
    },
    detach: () => whenGone(stream),
    end() {
      if (ended) return
      ended = true
      whenGone(stream)
      over()
    },
  }
  return stream
}
