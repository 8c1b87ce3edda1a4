import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { takesCoding } from '../../kernel/contract/accept-encoding.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import { matchesEtag } from '../../kernel/contract/if-none-match.ts'
import { type ConsoleFile, type ConsoleFiles, loadConsole } from './console-files.ts'
import { missingConsolePage } from './missing-console.ts'

/** A folder with `index.html` and `assets`, whose files are named after their content. */
export type ConsoleBuild = { folder: string }

// No nonce, no hash, nothing inline; and what would put a string into the page as HTML or script throws.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; " +
  "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
  "require-trusted-types-for 'script'; trusted-types 'none'"

const features = [
  'accelerometer',
  'autoplay',
  'bluetooth',
  'camera',
  'display-capture',
  'encrypted-media',
  'fullscreen',
]
  .concat(['gamepad', 'geolocation', 'gyroscope', 'hid', 'idle-detection', 'local-fonts', 'magnetometer', 'microphone'])
  .concat(['midi', 'payment', 'picture-in-picture'])
  .concat([
    'screen-wake-lock',
    'serial',
    'storage-access',
    'usb',
    'web-share',
    'window-management',
    'xr-spatial-tracking',
  ])

const pageHeaders = {
  'content-security-policy': policy,
  'cross-origin-opener-policy': 'same-origin',
  'permissions-policy': [
    ...features.map((name) => `${name}=()`),
    // Passkeys, for our own pages.
    'publickey-credentials-create=(self), publickey-credentials-get=(self)',
  ].join(', '),
  'cache-control': 'no-cache',
  vary: 'accept, accept-encoding',
}

const pages = [
  '/',
  '/sign-in',
  '/sign-in/callback/*',
  '/me',
  '/me/*',
  '/d/*',
  '/device',
  '/authorize',
  '/refused',
  '/chat/callback',
]

/** Every address of the console is one and the same page; which of its views is meant, it finds out in the browser. */
export function serveConsole(app: FastifyInstance, build: Promise<ConsoleBuild> | undefined, log: Logger): void {
  const files = build?.then(loadConsole)
  files?.catch((error) =>
    log.error({ err: error }, 'the web console could not be built; the API is served all the same'),
  )

  for (const path of pages) {
    app.get(path, async (request, reply) => {
      if (!wantsPage(request)) return answerProgram(path, reply)
      const found = files && (await files.catch((error: Error) => error))
      if (!found || found instanceof Error) return sendMissing(reply, found)
      return sendFile(request, reply.headers(pageHeaders), found.page)
    })
  }
  app.get('/assets/*', async (request, reply) => {
    const { '*': name } = request.params as { '*': string }
    const asset = await files?.then((each: ConsoleFiles) => each.assets.get(name)).catch(() => undefined)
    if (!asset) throw new Fault('not_found', 'There is nothing at this path.')
    const headers = { 'cache-control': 'public, max-age=31536000, immutable', vary: 'accept-encoding' }
    return sendFile(request, reply.headers(headers), asset)
  })
}

/** Browsers name HTML; curl takes anything, and is better off with the reference. */
function wantsPage({ headers }: FastifyRequest): boolean {
  return /\btext\/html\b/i.test(headers.accept ?? '')
}

function answerProgram(path: string, reply: FastifyReply): FastifyReply {
  if (path !== '/') throw new Fault('not_found', 'There is nothing at this path for programs; browsers get a page.')
  return reply.header('vary', 'accept').redirect('/docs')
}

function sendMissing(reply: FastifyReply, problem: Error | undefined): FastifyReply {
  const html = missingConsolePage(problem?.message)
  const headers = { ...pageHeaders, 'cache-control': 'no-store' }
  return reply.code(503).headers(headers).type('text/html; charset=utf-8').send(html)
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
  reply.header('etag', file.etag)
  if (matchesEtag(request.headers['if-none-match'], file.etag)) return reply.code(304).send()
  reply.type(file.type)
  for (const { coding, content } of file.packed) {
    if (takesCoding(request.headers['accept-encoding'], coding))
      return reply.header('content-encoding', coding).send(content)
  }
  return reply.send(file.plain)
}
