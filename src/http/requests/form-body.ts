import type { FastifyInstance } from 'fastify'
import { Fault } from '../../kernel/contract/fault.ts'

const mostFields = 50

/** For a scope whose routes take HTML forms too, as OAuth has them (RFC 6749 appendix B). Each name once. */
export function acceptForms(scope: FastifyInstance): void {
  const type = /^application\/x-www-form-urlencoded\s*(;|$)/i
  scope.addContentTypeParser(type, { parseAs: 'string' }, (_request, body, done) => {
    const fields: Record<string, string> = Object.create(null)
    const pairs = [...new URLSearchParams(body as string)].slice(0, mostFields + 1)
    if (pairs.length > mostFields)
      return done(new Fault('malformed_request', `A form may have at most ${mostFields} fields.`))
    for (const [name, value] of pairs) {
      if (name in fields) return done(new Fault('malformed_request', 'The form has a field more than once.'))
      fields[name] = value
    }
    done(null, { ...fields })
  })
}
