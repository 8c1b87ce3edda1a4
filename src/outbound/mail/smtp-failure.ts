import { Permanent, Transient } from '../../kernel/jobs/job.ts'
import { OutboundError } from '../outbound-error.ts'

/** What nodemailer says of a failure. `response` is the server's own text, which is never repeated. */
type SmtpError = Error & { code?: string; originalCode?: string; responseCode?: number }

const tlsCodes = /CERT|TLS|SSL|SIGNATURE|ISSUER|CRL/

/**
 * RFC 5321 §4.2.1: 4yz is worth another try. 5yz is not where it is about this mail; before that it is about us, which the
 * operator can mend. Of what the server says only the code is repeated.
 */
export function smtpFailure(error: unknown, origin: string): Error {
  if (!(error instanceof Error) || error instanceof OutboundError) return error as Error
  const { code = '', originalCode = '', responseCode = 0 } = error as SmtpError
  const said = `${origin} answered ${responseCode}.`
  if (code === 'ETLS' && responseCode > 0) return new Transient(`${origin} offers no TLS.`)
  if (code === 'ETLS' || tlsCodes.test(originalCode)) {
    return new OutboundError('tls', `Cannot agree on TLS with ${origin}.`, originalCode)
  }
  if (code === 'EAUTH') return new Transient(`${said} It refuses the sign-in.`)
  if (code === 'ETIMEDOUT') return new Transient(`${origin} took too long.`)
  if (responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE')) return new Permanent(said)
  if (responseCode >= 400) return new Transient(said)
  if (responseCode > 0) return new OutboundError('bad_response', `${origin} answered ${responseCode} out of turn.`)
  if (code === 'EPROTOCOL') return new OutboundError('bad_response', `${origin} does not speak SMTP.`)
  return new OutboundError('disconnected', `${origin} broke the connection.`)
}
