import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { Fault } from '../../kernel/contract/fault.ts'
import { faultOf } from '../answers/problem.ts'
import { originOf } from '../requests/origin.ts'
import type { RegistryLimits } from './registry-limits.ts'
import { secretOf, sendRefusal } from './registry-mount.ts'

/** What signing in comes to; who asks is not known yet. */
export type NpmLogin = {
  begin(deploymentId: number, client: string, origin: Origin, url: string): Promise<{ page: string; session: string }>
  result(session: string, requestId: string): Promise<string | undefined>
  byPassword(deploymentId: number, given: Given, client: string, origin: Origin): Promise<string>
  end(secret: string, requestId: string): Promise<void>
}
/** `code` is that of the second factor, which npm asks for where it is told to. */
type Given = { name: string; password: string; code: string | undefined }
type Origin = { address: string; requestId: string }
type Options = { login: NpmLogin; publicUrl: string | undefined; limits: RegistryLimits; log: Logger }

const base = '/firewall/:deploymentId/npm/-'
// Without Bearer: npm then says that the password is wrong, and not that a token is.
const challenge = 'Basic realm="gatehouse", charset="UTF-8"'
const pollSeconds = 5
const maxLength = 1000

/**
 * `npm login`, in the browser and by password, `yarn npm login` and `npm logout`: what npm's registry answers on these paths.
 * They stand before those of packages, which take a token.
 */
export function mountNpmLogin(app: FastifyInstance, { login, publicUrl, limits, log }: Options): void {
  const errorHandler = (error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
    // Some of these paths have a secret in them, so the problem names the route in its place.
    refuse(request, reply, faultOf(error), { log, instance: request.routeOptions.url ?? '' })
  const routes = { errorHandler }

  app.post(`${base}/v1/login`, routes, async (request) => {
    const url = originOf(request, publicUrl)
    const deploymentId = deploymentOf(request)
    const { page, session } = await login.begin(deploymentId, clientOf(request), whereFrom(request), url)
    const doneUrl = `${url}/firewall/${deploymentId}/npm/-/v1/done?session=${encodeURIComponent(session)}`
    return { loginUrl: page, doneUrl }
  })

  app.get(`${base}/v1/done`, routes, async (request, reply) => {
    const { session } = request.query as Record<string, unknown>
    const token = await login.result(text(session, 'session'), request.id)
    if (token !== undefined) return { token }
    return reply.code(202).header('retry-after', String(pollSeconds)).send({})
  })

  app.put(`${base}/user/:user`, routes, async (request, reply) => {
    const { name, password } = (request.body ?? {}) as Record<string, unknown>
    const code = [request.headers['npm-otp']].flat()[0]?.slice(0, 40)
    const given = { name: text(name, 'name'), password: text(password, 'password'), code }
    const token = await login
      .byPassword(deploymentOf(request), given, clientOf(request), whereFrom(request))
      .catch((error) => {
        limits.enforceStranger(request.ip, reply)
        throw error
      })
    return reply.code(201).send({ ok: true, id: `org.couchdb.user:${given.name}`, rev: '1-0', token })
  })

  app.delete(`${base}/user/token/:token`, routes, async (request) => {
    const secret = secretOf(request.headers.authorization)
    const { token } = request.params as { token: string }
    if (token !== secret) throw new Fault('forbidden', 'A client can only revoke the token that it signs in with.')
    await login.end(secret, request.id)
    return { ok: true }
  })
}

/** npm asks for the code of an authenticator app when the challenge is OTP, and sends all of it again. */
function refuse(request: FastifyRequest, reply: FastifyReply, fault: Fault, about: { log: Logger; instance: string }) {
  const otp = fault.code === 'second_factor_required' ? 'OTP' : challenge
  return sendRefusal(request, reply, fault, { ...about, challenge: otp })
}

function whereFrom(request: FastifyRequest): Origin {
  return { address: request.ip, requestId: request.id }
}

function deploymentOf(request: FastifyRequest): number {
  const { deploymentId } = request.params as { deploymentId: string }
  if (!/^[1-9][0-9]{0,14}$/.test(deploymentId)) throw new Fault('not_found', `No deployment ${deploymentId}.`)
  return Number(deploymentId)
}

/** `npm/11.4.2 node/v24.0.0 linux x64 workspaces/false`: the first word. */
function clientOf({ headers }: FastifyRequest): string {
  return /^[A-Za-z0-9][A-Za-z0-9._/-]{0,59}/.exec(headers['user-agent'] ?? '')?.[0] ?? 'npm client'
}

function text(value: unknown, name: string): string {
  // U+0000 is in no name and no secret, and PostgreSQL does not take it.
  if (typeof value === 'string' && value !== '' && value.length <= maxLength && !value.includes('\0')) return value
  throw new Fault('validation_failed', `'${name}' is missing, or not a text of at most ${maxLength} characters.`)
}
