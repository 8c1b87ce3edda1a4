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

/** A plain-text message for nodemailer, which encodes what could end a header, a line or the message. */
export function mailMessage({ to, subject, text, id }: Mail, from: string) {
  const host = from.slice(from.lastIndexOf('@') + 1)
  return {
    envelope: { from, to },
    from: { name: 'Gatehouse', address: from },
    to: { name: '', address: to },
    subject,
    text,
    textEncoding: 'base64' as const,
    messageId: `<${id.replace(/[^A-Za-z0-9.-]/g, '-')}@${host}>`,
    // RFC 3834: nobody's holiday notice is to answer it.
    headers: { 'Auto-Submitted': 'auto-generated' },
    xMailer: false as const,
  }
}
