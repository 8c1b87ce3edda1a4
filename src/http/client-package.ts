import { createHash } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { matchesEtag } from '../kernel/contract/if-none-match.ts'
import { originOf } from './requests/origin.ts'

/** Hands out the client to whoever can reach the server; there is no secret in it. It is built when it is first asked for. */
export function serveClientPackage(
  app: FastifyInstance,
  { build, publicUrl }: { build: () => Promise<Buffer>; publicUrl: string | undefined },
): void {
  let built: Promise<{ content: Buffer; etag: string }> | undefined

  app.get('/cli.tgz', async (request, reply) => {
    built ??= build().then((content) => ({ content, etag: etagOf(content) }))
    const { content, etag } = await built.catch((error) => {
      // Tried again by the next who asks.
      built = undefined
      throw error
    })
    reply.headers({ 'cache-control': 'no-cache', etag })
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.type('application/gzip').send(content)
  })

  app.get('/install.sh', async (request, reply) => {
    const script = installScript(originOf(request, publicUrl))
    return reply.header('cache-control', 'no-cache').type('text/x-shellscript; charset=utf-8').send(script)
  })
}

function etagOf(content: Buffer): string {
  return `"${createHash('sha256').update(content).digest('base64url')}"`
}

/** All of it is in a function, so that a script that was cut off on its way does nothing. */
function installScript(url: string): string {
  return `#!/bin/sh
# Installs the client of Gatehouse from ${url} for the user who runs this.
set -eu
main() {
  command -v npm >/dev/null || { echo 'Node.js 20 or newer, with npm, is needed first.' >&2; exit 1; }
  prefix="\${GATEHOUSE_PREFIX:-$HOME/.local}"
  npm install --global --prefix "$prefix" --ignore-scripts --no-audit --no-fund '${url}/cli.tgz'
  echo "Installed: $prefix/bin/gatehouse"
  case ":$PATH:" in
    *":$prefix/bin:"*) ;;
    *) echo "Add it to your PATH: export PATH=\\"$prefix/bin:\\$PATH\\"" ;;
  esac
}
main
`
}
