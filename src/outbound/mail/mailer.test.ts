import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type SinkOptions, startSmtpSink } from '../../sandbox/smtp-sink.ts'
import { certificateFor, withoutOpenssl as skip } from '../test-certificate.ts'
import { parseMailServer } from './mail-server.ts'
import { createMailer, type MailServer } from './mailer.ts'

const mail = { to: 'somebody@example.com', subject: 'Grüße 🦊', text: 'Zeile 1\n.\nZeile 3', id: 'abc-123' }

async function open(t: TestContext, options: SinkOptions, server: Partial<MailServer>, ca?: string) {
  const sink = await startSmtpSink(options)
  t.after(() => sink.close())
  const mailer = createMailer({
    server: { host: '127.0.0.1', port: sink.port, tls: 'off', user: '', password: '', ...server },
    from: 'gatehouse@example.org',
    allow: '127.0.0.1',
    ca,
  })
  return { sink, mailer }
}

function readBack(data: string): { subject: string; text: string } {
  const [head = '', body = ''] = data.split('\r\n\r\n')
  const words = [...(/^Subject: ((?:.*\r\n )*.*)$/m.exec(head)?.[1] ?? '').matchAll(/=\?UTF-8\?([BQ])\?([^?]*)\?=/gi)]
  const decode = (text: string) => Buffer.from(text, 'base64').toString('utf8')
  const decodeWord = (word: string) =>
    decodeURIComponent(word.replaceAll('%', '%25').replaceAll('=', '%').replaceAll('_', ' '))
  const subject = words.map(([, how, word]) => (how!.toUpperCase() === 'B' ? decode(word!) : decodeWord(word!)))
  const isEncoded = /^Content-Transfer-Encoding: base64$/im.test(head)
  return { subject: subject.join(''), text: isEncoded ? decode(body) : body }
}

test('a mail arrives as it was meant', async (t) => {
  const { sink, mailer } = await open(t, {}, {})
  await mailer.send(mail)
  const [received] = sink.mails
  assert.deepEqual([received!.from, received!.to], ['gatehouse@example.org', 'somebody@example.com'])
  assert.deepEqual(readBack(received!.data), { subject: mail.subject, text: 'Zeile 1\r\n.\r\nZeile 3' })
  assert.match(received!.data, /^Message-ID: <abc-123@example\.org>$/m)
})

for (const method of ['PLAIN', 'LOGIN'] as const) {
  for (const implicit of [true, false]) {
    const name = `AUTH ${method} inside TLS, ${implicit ? 'from the first byte' : 'by STARTTLS'}`
    test(name, { skip }, async (t) => {
      const tls = { ...certificateFor('IP:127.0.0.1'), implicit }
      const login = { user: 'gate', password: 'hünter 2', method }
      const server = { tls: implicit ? 'implicit' : 'starttls', user: login.user, password: login.password } as const
      const { sink, mailer } = await open(t, { tls, login }, server, tls.cert)
      await mailer.send(mail)
      assert.deepEqual([sink.mails[0]!.wasEncrypted, sink.mails[0]!.user], [true, 'gate'])
    })
  }
}

test('without TLS no password is sent, and a certificate of a stranger is refused', { skip }, async (t) => {
  const login = { user: 'gate', password: 'secret', method: 'PLAIN' as const }
  const plain = await open(t, { login }, { tls: 'starttls', user: 'gate', password: 'secret' })
  await assert.rejects(plain.mailer.send(mail), /offers no TLS/)
  assert.deepEqual(plain.sink.commands, ['EHLO gatehouse', 'STARTTLS'])
  const tls = certificateFor('IP:127.0.0.1')
  const strange = await open(t, { tls, login }, { tls: 'starttls', user: 'gate', password: 'secret' })
  await assert.rejects(strange.mailer.send(mail), { reason: 'tls' })
  assert.deepEqual(strange.sink.commands, ['EHLO gatehouse', 'STARTTLS'])
})

test('what is said before TLS is not taken for what is said inside', { skip }, async (t) => {
  const tls = certificateFor('IP:127.0.0.1')
  const login = { user: 'gate', password: 'secret', method: 'PLAIN' as const }
  const server = { tls: 'starttls', user: 'gate', password: 'secret' } as const
  const { sink, mailer } = await open(t, { tls, login }, server, tls.cert)
  sink.control.beforeTls = '250-injected\r\n250 AUTH LOGIN'
  await mailer.send(mail)
  const [hello, upgrade, again, signIn] = sink.commands
  assert.deepEqual([hello, upgrade, again], ['EHLO gatehouse', 'STARTTLS', 'EHLO gatehouse'])
  assert.match(signIn!, /^AUTH PLAIN /)
})

test('what is worth another try is told apart from what is not', async (t) => {
  const { sink, mailer } = await open(t, {}, {})
  const cases: [string, string, string][] = [
    ['RCPT', '450 4.2.0 greylisted', 'Transient'],
    ['RCPT', '550 5.1.1 no such user', 'Permanent'],
    ['BODY', '451 4.3.0 later', 'Transient'],
    ['EHLO', 'nonsense', 'Transient'],
    ['MAIL', '354 what', 'OutboundError'],
  ]
  for (const [verb, reply, name] of cases) {
    sink.control.trouble = (command) => (command === verb ? reply : undefined)
    await assert.rejects(mailer.send(mail), (error: Error) => {
      assert.deepEqual([error.name, /greylisted|no such|later/.test(error.message)], [name, false], reply)
      return true
    })
  }
  assert.equal(sink.mails.length, 0)
})

test('nothing that is sent can say more than it should', async (t) => {
  const { sink, mailer } = await open(t, {}, {})
  const addresses = ['a@b.c>\r\nRCPT TO:<x@y.z', 'a@b\r\n', 'a b@c.d', '<a@b.c>', 'ä@b.c', `${'a'.repeat(65)}@b.c`]
  for (const to of addresses) await assert.rejects(mailer.send({ ...mail, to }), { name: 'Permanent' }, to)
  assert.equal(sink.commands.length, 0)
  await mailer.send({ ...mail, subject: 'Hi\r\nBcc: x@y.z', text: 'a\r\n.\r\nMAIL FROM:<x@y.z>', id: 'a>\r\nX: y' })
  assert.deepEqual(
    sink.commands.map((command) => command.split(' ')[0]).filter((verb) => verb !== 'QUIT'),
    ['EHLO', 'MAIL', 'RCPT', 'DATA'],
  )
  const headers = sink.mails[0]!.data.split('\r\n\r\n')[0]!.split('\r\n')
  assert.deepEqual(
    headers.filter((line) => /^(Bcc|X):/.test(line)),
    [],
  )
})

test('no line is longer than mail allows', async (t) => {
  const { sink, mailer } = await open(t, {}, {})
  await mailer.send({ ...mail, subject: 'ü🦊'.repeat(300), text: 'x'.repeat(5_000) })
  assert.ok(sink.mails[0]!.data.split('\r\n').every((line) => line.length <= 78))
})

test('a server that says more than a mail server would, or nothing, is left', async (t) => {
  const { sink, mailer } = await open(t, {}, {})
  sink.control.trouble = (command) => (command === 'EHLO' ? `250-${'x'.repeat(100_000)}` : undefined)
  await assert.rejects(mailer.send(mail), { name: 'OutboundError' })
  sink.control.trouble = (command) => (command === 'EHLO' ? '250-and' : undefined)
  const server = { host: '127.0.0.1', port: sink.port, tls: 'off', user: '', password: '' } as const
  const hasty = createMailer({ server, from: 'a@b.c', allow: '127.0.0.1', timeoutMs: 100 })
  await assert.rejects(hasty.send(mail), { name: 'Transient', message: /took too long/ })
})

test('addresses inside are not reached unless they are allowed', async (t) => {
  const sink = await startSmtpSink()
  t.after(() => sink.close())
  for (const host of ['127.0.0.1', 'localhost', '10.0.0.1']) {
    const server = { host, port: sink.port, tls: 'off', user: '', password: '' } as const
    const mailer = createMailer({ server, from: 'a@b.c', allow: '' })
    await assert.rejects(mailer.send(mail), { reason: 'blocked_address' }, host)
  }
  assert.equal(sink.commands.length, 0)
})

const servers: Record<string, ReturnType<typeof parseMailServer>> = {
  'smtps://u:p%40@mail.example.com': {
    host: 'mail.example.com',
    port: 465,
    tls: 'implicit',
    user: 'u',
    password: 'p@',
  },
  'smtp://mail.example.com': { host: 'mail.example.com', port: 587, tls: 'starttls', user: '', password: '' },
  'smtp://[::1]:25?tls=off': { host: '::1', port: 25, tls: 'off', user: '', password: '' },
  'smtp://u:p@mail.example.com?tls=off': undefined,
  'smtps://mail.example.com?tls=off': undefined,
  'smtp://u@mail.example.com': undefined,
  'smtp://mail.example.com/path': undefined,
  'https://mail.example.com': undefined,
  'mail.example.com:25': undefined,
}
for (const [text, expected] of Object.entries(servers)) {
  test(`${text} is ${expected ? 'a mail server' : 'none'}`, () => assert.deepEqual(parseMailServer(text), expected))
}
