import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Permission } from '../kernel/access/permission.ts'
import { Fault } from '../kernel/contract/fault.ts'
import { matchesEtag } from '../kernel/contract/if-none-match.ts'
import { basicPassword, schemeToken } from '../kernel/contract/protocol.ts'
import type { PublishedFile, PublishedFiles } from '../kernel/contract/published-file.ts'
import { createSemaphore } from '../kernel/threads/semaphore.ts'
import { actorIn, checkKind, onlyDeployment } from './requests/authorize.ts'
import type { Credentials } from './requests/credentials.ts'
import type { createRateLimit } from './requests/rate-limit.ts'

export type PublishedFileOptions = {
  files: readonly PublishedFiles[]
  credentials: Pick<Credentials, 'identifyToken'>
  limit: ReturnType<typeof createRateLimit>
}

/** Making one takes much of a core; the others wait, but not for long. */
const atOnce = 2
const longestWaitMs = 10_000
const sendSeconds = 900

/** Serves whole documents to programs that mirror them. Who has the current one gets 304 for nothing. */
export function servePublishedFiles(app: FastifyInstance, { files, credentials, limit }: PublishedFileOptions): void {
  const sending = createSemaphore(atOnce, longestWaitMs)
  for (const { url, access, find } of files) {
    app.route({
      method: ['GET', 'HEAD'],
      url,
      exposeHeadRoute: false,
      config: { seconds: sendSeconds },
      onRequest: async (request, reply) => {
        if (access === 'everyone') limit.enforce(`address ${request.ip}`, reply)
        else await identify(request, reply, access)
      },
      handler: async (request, reply) => {
        const { headers, method } = request
        const file = await find(request.params as Record<string, string>, String(headers['accept-encoding'] ?? ''))
        if (!file) throw new Fault('not_found', 'There is nothing at this path.')
        const { etag, mediaType, encoding } = file
        reply.headers({ etag, 'cache-control': 'no-cache', vary: 'accept-encoding' })
        if (matchesEtag(headers['if-none-match'], etag)) return reply.code(304).send()
        reply.type(mediaType)
        if (encoding) reply.header('content-encoding', encoding)
        return method === 'HEAD' ? reply.send() : reply.send(await begin(file))
      },
    })
  }

  async function identify(request: FastifyRequest, reply: FastifyReply, permission: Permission): Promise<void> {
    const token = schemeToken(request.headers, 'Bearer') ?? basicPassword(request.headers)
    const caller = await credentials.identifyToken(token)
    limit.enforce(caller.tokenId ? `token ${caller.tokenId}` : `person ${caller.personId}`, reply)
    const contract = { security: 'both', permission } as const
    checkKind(contract, caller)
    const actor = actorIn(contract, caller, onlyDeployment(caller), request.id)
    request.call = { caller, actor, route: request.routeOptions.url } as typeof request.call
  }

  /** Has its turn until the last byte is sent, or the client is gone. */
  async function begin(file: PublishedFile): Promise<Readable> {
    const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    sending
      .run(() => {
        begun.resolve()
        return ended.promise
      })
      .catch(begun.reject)
    await begun.promise
    return Readable.from(file.chunks(), { objectMode: false }).once('close', ended.resolve)
  }
}
