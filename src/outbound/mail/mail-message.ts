export type Mail = {
  to: string
  subject: string
  text: string
  /** The same on every try: becomes the Message-ID, by which mail programs know a repetition. */
  id: string
}

/** Visible ASCII without what means something in a header or a command (RFC 5321 §4.1.2): no way to say more than an address. */
const addressPattern = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9.-]{0,250}[A-Za-z0-9])?$/

export function isMailAddress(text: string): boolean {
  return addressPattern.test(text) && text.length <= 254
}

/** A plain-text message (RFC 5322). Both texts go encoded, so nothing in them can end a header, a line or the message. */
export function mailMessage({ to, subject, text, id }: Mail, from: string, now: Date): string {
  const host = from.slice(from.lastIndexOf('@') + 1)
  const headers = [
    `From: Gatehouse <${from}>`,
    `To: <${to}>`,
    `Subject: ${encodedWords(subject)}`,
    `Date: ${now.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${id.replace(/[^A-Za-z0-9.-]/g, '-')}@${host}>`,
    // RFC 3834: nobody's holiday notice is to answer it.
    'Auto-Submitted: auto-generated',
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    'Content-Transfer-Encoding: base64',
  ]
  const body = Buffer.from(text.replace(/\r?\n/g, '\r\n'), 'utf8').toString('base64')
  return `${headers.join('\r\n')}\r\n\r\n${(body.match(/.{1,76}/g) ?? []).join('\r\n')}\r\n`
}

/** RFC 2047: words of at most 75 characters, each whole in UTF-8. */
function encodedWords(text: string): string {
  const words: string[] = []
  let word = ''
  for (const character of text) {
    if (Buffer.byteLength(word + character) > 42) {
      words.push(word)
      word = ''
    }
    word += character
  }
  words.push(word)
  return words.map((part) => `=?utf-8?B?${Buffer.from(part, 'utf8').toString('base64')}?=`).join('\r\n ')
}
