import type { Fault } from '../../kernel/contract/fault.ts'
import { type Protocol, schemeToken } from '../../kernel/contract/protocol.ts'

/** The Semgrep CLI shows the body of a refusal as it is, so the body is a sentence. */
export const semgrepProtocol: Protocol = {
  name: 'Semgrep',
  below: ['/api/cli/', '/c/'],
  tokenIn: (headers) => schemeToken(headers, 'Bearer'),
  // What is too large is sent again three times where the status is 413.
  refusal: (fault, status) => ({ ...(status === 413 && { status: 422 }), body: said(fault) }),
}

function said({ message, errors }: Fault): string {
  const details = errors.slice(0, 5).map(({ pointer, detail }) => `${pointer} ${detail}`)
  return details.length === 0 ? message : `${message} ${details.join('; ')}.`
}
