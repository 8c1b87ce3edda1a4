import type { FastifyRequest } from 'fastify'
import { Fault } from '../../kernel/contract/fault.ts'

/** Scheme and host under which a client reaches us: as the operator says, else as the client itself does. */
export function originOf({ host, protocol }: FastifyRequest, publicUrl: string | undefined): string {
  if (publicUrl !== undefined) return publicUrl
  if (!/^[A-Za-z0-9.[\]:_-]{1,255}$/.test(host)) throw new Fault('malformed_request', 'The Host header is not valid.')
  return `${protocol}://${host}`
}
