import type { Socket } from 'node:net'
import { Permanent, Transient } from '../../kernel/jobs/job.ts'
import { dial, secure, type Until } from '../dial.ts'
import { OutboundError } from '../outbound-error.ts'
import { createAddressRules } from '../ssrf-guard/address-rules.ts'
import { type Resolver, resolveChecked, systemResolver } from '../ssrf-guard/resolve.ts'
import { isMailAddress, type Mail, mailMessage } from './mail-message.ts'
import { createReplies, type Reply } from './smtp-replies.ts'

export type MailServer = {
  host: string
  port: number
  /** 'implicit': TLS from the first byte; 'starttls': before anything is said; 'off': never, and no password either. */
  tls: 'implicit' | 'starttls' | 'off'
  user: string
  password: string
}

export type MailerOptions = {
  server: MailServer
  from: string
  /** GATEHOUSE_EGRESS_ALLOW. */
  allow: string
  ca?: string | undefined
  resolver?: Resolver | undefined
  timeoutMs?: number | undefined
}

export type Mailer = ReturnType<typeof createMailer>

/** Sends mail through one server (RFC 5321), by the same rules about addresses as everything else that leaves. */
export function createMailer({
  server,
  from,
  allow,
  ca,
  resolver = systemResolver,
  timeoutMs = 30_000,
}: MailerOptions) {
  const rules = createAddressRules(allow)
  // For the rules a host is a host; what is spoken there does not matter to them.
  const place = new URL(`https://${server.host.includes(':') ? `[${server.host}]` : server.host}:${server.port}`)
  const origin = `The mail server ${place.host}`

  async function send(mail: Mail): Promise<void> {
    if (!isMailAddress(mail.to)) throw new Permanent('The address cannot be written to.')
    const closing = new AbortController()
    const until = { deadline: performance.now() + timeoutMs, closing: closing.signal }
    const addresses = await resolveChecked(place, rules, resolver)
    const socket = await dial({ origin: place.host, addresses, port: server.port }, until)
    const timer = setTimeout(() => closing.abort(), timeoutMs)
    try {
      await converse(socket, mail, until)
    } catch (error) {
      if (closing.signal.aborted) throw new Transient(`${origin} took too long.`)
      throw error
    } finally {
      clearTimeout(timer)
      closing.abort()
    }
  }

  async function converse(plain: Socket, mail: Mail, until: Until): Promise<void> {
    let socket = server.tls === 'implicit' ? await secure(plain, place, { ca, alpn: [] }, until) : plain
    let replies = createReplies(socket, origin)
    const ask = async (line: string, wanted: number) => {
      socket.write(`${line}\r\n`)
      return expect(await replies.next(), wanted)
    }
    expect(await replies.next(), 2)
    let offers = await ask('EHLO gatehouse', 2)
    if (server.tls === 'starttls') {
      if (!offersLine(offers, /^STARTTLS$/i)) throw new Transient(`${origin} offers no TLS.`)
      await ask('STARTTLS', 2)
      replies.release()
      socket = await secure(plain, place, { ca, alpn: [] }, until)
      replies = createReplies(socket, origin)
      offers = await ask('EHLO gatehouse', 2)
    }
    if (server.user !== '') await signIn(ask, offers)
    await ask(`MAIL FROM:<${from}>`, 2)
    await ask(`RCPT TO:<${mail.to}>`, 2)
    await ask('DATA', 3)
    // The body is base64, so no line of it begins with the dot that would end it.
    await ask(`${mailMessage(mail, from, new Date())}.`, 2)
    // It has taken the mail; how it says goodbye does not matter.
    await ask('QUIT', 2).catch(() => {})
  }

  async function signIn(ask: (line: string, wanted: number) => Promise<Reply>, offers: Reply): Promise<void> {
    const { user, password } = server
    const base64 = (text: string) => Buffer.from(text, 'utf8').toString('base64')
    try {
      if (offersLine(offers, /^AUTH\b.*\bPLAIN\b/i)) await ask(`AUTH PLAIN ${base64(`\0${user}\0${password}`)}`, 2)
      else if (offersLine(offers, /^AUTH\b.*\bLOGIN\b/i)) {
        await ask('AUTH LOGIN', 3)
        await ask(base64(user), 3)
        await ask(base64(password), 2)
      } else throw new Transient(`${origin} takes no password that we know how to send.`)
    } catch (error) {
      // Not the addressee's fault: the operator can mend it, and then the mail is sent.
      if (error instanceof Permanent) throw new Transient(`${error.message} It refuses the sign-in.`)
      throw error
    }
  }

  /** RFC 5321 §4.2.1: 4yz is worth another try, 5yz is not. Of what it says only the code is repeated. */
  function expect(reply: Reply, wanted: number): Reply {
    const kind = Math.floor(reply.code / 100)
    if (kind === wanted) return reply
    if (kind < 4) throw new OutboundError('bad_response', `${origin} answered ${reply.code} out of turn.`)
    const said = `${origin} answered ${reply.code}.`
    throw kind === 5 ? new Permanent(said) : new Transient(said)
  }

  return { send }
}

function offersLine({ lines }: Reply, pattern: RegExp): boolean {
  return lines.some((line) => pattern.test(line.trim()))
}
