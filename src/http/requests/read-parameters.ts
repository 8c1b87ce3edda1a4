import type { FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import type { Call } from '../../kernel/contract/api.ts'
import type { Endpoint } from '../../kernel/contract/endpoint.ts'
import { Fault, type FieldError } from '../../kernel/contract/fault.ts'
import { validate } from '../../kernel/contract/validate.ts'

/** Reads the parameters of the path. Returns which of them are malformed. Nobody has a role in a deployment of such an id. */
export function readPath(
  contract: Endpoint,
  request: FastifyRequest,
  call: Call<Endpoint>,
  errors: FieldError[],
): string[] {
  call.params = validate(contract.params, request.params, '/path', errors) as never
  return errors.map(({ pointer }) => pointer.slice('/path/'.length))
}

/** For when the caller is known to belong to the deployment: only then may they learn what is wrong with the address. */
export function refuseUnread(
  contract: Endpoint,
  request: FastifyRequest,
  call: Call<Endpoint>,
  unread: string[],
  errors: FieldError[],
): void {
  if (errors.length > unread.length || !unread.every((name) => isName(contract, name))) throw invalid(errors)
  for (const name of unread) {
    if (contract.security !== 'none') throw new Fault('not_found', `Nothing has the id '${given(request, name)}'.`)
    // Who asks is only known to the handler: it answers as for any other id that nothing has.
    Object.assign(call.params, { [name]: 0 })
  }
}

/** Of an id or a slug that is a string on the wire any text is well-formed: there is just nothing that has it. */
function isName({ params, faults }: Endpoint, name: string): boolean {
  const schema = params.properties[name] as { type?: string; enum?: unknown }
  return 'x-number' in schema || (schema.type === 'string' && !schema.enum && faults.includes('not_found'))
}

function given(request: FastifyRequest, name: string): string {
  return String((request.params as Record<string, unknown>)[name]).slice(0, 60)
}

const noQuery = { type: 'object', properties: {} } as unknown as TObject

/** No parameter is a list: one that is given twice is a mistake, and which of the two was meant nobody can say. */
export function readQuery(
  contract: Endpoint,
  request: FastifyRequest,
  call: Call<Endpoint>,
  errors: FieldError[],
): void {
  if (!contract.query && (contract.protocol || !hasEntries(request.query))) return
  const schema = contract.query ?? noQuery
  const query = { ...(request.query as Record<string, unknown>) }
  for (const [name, value] of Object.entries(query)) {
    if (!Array.isArray(value)) continue
    query[name] = value[0]
    if (Object.hasOwn(schema.properties, name)) errors.push({ pointer: `/query/${name}`, detail: 'must be given once' })
  }
  call.query = validate(schema, query, '/query', errors) as never
}

function hasEntries(value: unknown): boolean {
  for (const _ in value as object) return true
  return false
}

export function invalid(errors: FieldError[]): Fault {
  const count = errors.length === 1 ? 'One thing' : `${errors.length} things`
  return new Fault(
    'validation_failed',
    `${count} in the request do${errors.length === 1 ? 'es' : ''} not fit the contract.`,
    { errors },
  )
}
