import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'

export type SinkMail = { from: string; to: string; data: string; wasEncrypted: boolean; user: string }
export type SmtpSink = Awaited<ReturnType<typeof startSmtpSink>>

export type SinkOptions = {
  port?: number
  /** With it STARTTLS is offered, or with `implicit` TLS is spoken from the start. */
  tls?: { key: string; cert: string; implicit?: boolean } | undefined
  /** Required before MAIL where it is given. */
  login?: { user: string; password: string; method: 'PLAIN' | 'LOGIN' } | undefined
}

type Control = {
  trouble?: ((command: string) => string | undefined) | undefined
  /** Sent in the clear, behind the word that TLS may begin. */
  beforeTls?: string | undefined
}

/** A mail server that keeps what it is given. `control.trouble` answers in its place, by the command. */
export async function startSmtpSink({ port = 0, tls, login }: SinkOptions = {}) {
  const mails: SinkMail[] = []
  const commands: string[] = []
  const control: Control = {}
  const sockets = new Set<Socket>()
  const context = tls && createSecureContext({ key: tls.key, cert: tls.cert })
  const encrypted = (socket: Socket) => new TLSSocket(socket, { isServer: true, secureContext: context! })

  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    converse(tls?.implicit ? encrypted(socket) : socket, tls?.implicit ?? false, true)
  })

  function converse(socket: Socket, isEncrypted: boolean, greets: boolean): void {
    let text = ''
    let data: string[] | undefined
    let from = ''
    let to = ''
    let user = ''
    let signingIn: string[] | undefined
    const say = (line: string) => void socket.write(`${line}\r\n`)
    socket.on('error', () => {})
    const onData = (chunk: Buffer) => {
      text += chunk.toString('utf8')
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end)
        text = text.slice(end + 2)
        take(line)
      }
    }
    socket.on('data', onData)
    if (greets) say('220 sink ESMTP')

    function take(line: string) {
      if (data) return void takeData(line)
      if (signingIn) return void takeLogin(line)
      commands.push(line)
      const verb = line.split(/[ :]/)[0]!.toUpperCase()
      const trouble = control.trouble?.(verb)
      if (trouble !== undefined) return say(trouble)
      if (verb === 'EHLO') return greet()
      if (verb === 'STARTTLS' && tls) return upgrade()
      if (verb === 'AUTH') return begin(line.slice(5))
      if (verb === 'QUIT') return void socket.end('221 bye\r\n')
      if (login && user === '') return say('530 5.7.0 Authentication required')
      if (verb === 'MAIL') from = /<(.*)>/.exec(line)?.[1] ?? ''
      else if (verb === 'RCPT') to = /<(.*)>/.exec(line)?.[1] ?? ''
      else if (verb === 'DATA') {
        data = []
        return say('354 go on')
      } else return say('502 5.5.1 unknown')
      say('250 ok')
    }

    function greet() {
      say('250-sink')
      if (tls && !isEncrypted) say('250-STARTTLS')
      if (login) say(`250-AUTH ${login.method}`)
      say('250 8BITMIME')
    }

    function upgrade() {
      say(`220 go ahead\r\n${control.beforeTls ?? ''}`.trimEnd())
      socket.off('data', onData)
      converse(encrypted(socket), true, false)
    }

    function takeData(line: string) {
      if (line !== '.') return void data!.push(line.replace(/^\.\./, '.'))
      const trouble = control.trouble?.('BODY')
      if (trouble === undefined) mails.push({ from, to, data: data!.join('\r\n'), wasEncrypted: isEncrypted, user })
      data = undefined
      say(trouble ?? '250 taken')
    }

    function begin(asked: string) {
      const [method, initial] = asked.split(' ')
      if (method === 'PLAIN')
        return check(
          Buffer.from(initial ?? '', 'base64')
            .toString()
            .split('\0')
            .slice(1),
        )
      signingIn = []
      say('334 VXNlcm5hbWU6')
    }

    function takeLogin(line: string) {
      signingIn!.push(Buffer.from(line, 'base64').toString())
      if (signingIn!.length < 2) return say('334 UGFzc3dvcmQ6')
      const given = signingIn!
      signingIn = undefined
      check(given)
    }

    function check([name, password]: string[]) {
      if (!login || name !== login.user || password !== login.password) return say('535 5.7.8 no')
      user = name
      say('235 2.7.0 welcome')
    }
  }

  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    mails,
    commands,
    control,
    close(): Promise<void> {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
