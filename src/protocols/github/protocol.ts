import type { Fault } from '../../kernel/contract/fault.ts'
import { type Protocol, schemeToken } from '../../kernel/contract/protocol.ts'

/** GitHub's REST API where it takes results of code scanning and snapshots of dependencies, as GitHub Enterprise Server serves it. */
export const gitHub: Protocol = {
  name: 'GitHub',
  below: ['/api/v3/'],
  tokenIn: (headers) => schemeToken(headers, 'token', 'Bearer'),
  refusal: ({ code, message, errors }, status) => ({
    // What cannot be read is their 400.
    ...(code === 'unprocessable' && { status: 400 }),
    body: {
      message: said(message, errors),
      documentation_url: '/docs',
      status: String(code === 'unprocessable' ? 400 : status),
    },
  }),
}

function said(message: string, errors: Fault['errors']): string {
  return [message, ...errors.slice(0, 10).map(({ pointer, detail }) => `${pointer.slice(1)} ${detail}`.trim())].join(
    ' ',
  )
}
