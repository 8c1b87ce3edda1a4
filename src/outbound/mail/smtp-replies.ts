import type { Socket } from 'node:net'
import { OutboundError } from '../outbound-error.ts'

export type Reply = { code: number; lines: string[] }

const longestReply = 64 * 1024

/** The replies of an SMTP server, one after the other (RFC 5321 §4.2). What it says is bounded and never shown. */
export function createReplies(socket: Socket, origin: string) {
  let text = ''
  let ended: OutboundError | undefined
  let wake = () => {}
  const onData = (chunk: Buffer) => {
    text += chunk.toString('latin1')
    if (text.length > longestReply)
      end(new OutboundError('bad_response', `${origin} says more than a mail server would.`))
    wake()
  }
  const onClose = () => end(new OutboundError('disconnected', `${origin} broke the connection.`))
  socket.on('data', onData).on('close', onClose).on('end', onClose)

  function end(error: OutboundError): void {
    ended ??= error
    wake()
  }

  async function next(): Promise<Reply> {
    for (;;) {
      const reply = take()
      if (reply) return reply
      if (ended) throw ended
      await new Promise<void>((resolve) => {
        wake = resolve
      })
    }
  }

  function take(): Reply | undefined {
    const whole = /^(?:\d{3}-[^\r\n]*\r?\n)*\d{3}(?: [^\r\n]*)?\r?\n/.exec(text)
    if (!whole) {
      if (/^(?!\d{3}[- \r\n])[^\r\n]{4}/.test(text)) {
        end(new OutboundError('bad_response', `${origin} does not speak SMTP.`))
      }
      return undefined
    }
    text = text.slice(whole[0].length)
    const lines = whole[0].trimEnd().split(/\r?\n/)
    return { code: Number(lines[0]!.slice(0, 3)), lines: lines.map((line) => line.slice(4)) }
  }

  /** Before TLS: what was sent in the clear and not asked for yet must not be taken for what is said inside. */
  function release(): void {
    socket.off('data', onData).off('close', onClose).off('end', onClose)
    if (text !== '') throw new OutboundError('bad_response', `${origin} spoke out of turn.`)
  }

  return { next, release, end }
}
