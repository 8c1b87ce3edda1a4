import type { FastifyInstance } from 'fastify'
import { Fault } from '../kernel/contract/fault.ts'

type Route = { method: string; url: string; pattern: RegExp; parameters: number }

/** Tells a wrong method (405 with `Allow`) from a wrong path (404). */
export function answerUnknownPaths(app: FastifyInstance): void {
  const routes: Route[] = []
  const literals = new Map<string, Route[]>()
  app.addHook('onRoute', ({ method, url }) => {
    const source = url.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/:[A-Za-z]+/g, '[^/]+')
    const parameters = url.split('/:').length - 1
    for (const each of [method].flat())
      routes.push({ method: each, url, pattern: new RegExp(`^${source}$`), parameters })
    literals.clear()
  })

  /** Paths that say a word where `url` has a parameter: `/memories/list` beside `/memories/:memoryId`. */
  function literalsBeside(url: string): Route[] {
    const known = literals.get(url)
    if (known) return known
    const own = routes.find((route) => route.url === url)
    const found = own
      ? routes.filter((route) => route.parameters < own.parameters && own.pattern.test(route.url))
      : ([] as Route[])
    literals.set(url, found)
    return found
  }

  // The word is not an id, whatever the method: the router only takes it for one where the word's own path lacks the method.
  app.addHook('onRequest', (request, _reply, done) => {
    // Before anything is made of a body that nobody asked for.
    if (request.is404) return done(unknown(pathOf(request.url)))
    const beside = literalsBeside(request.routeOptions.url ?? '')
    if (beside.length === 0) return done()
    const path = pathOf(request.url)
    const meant = beside.filter((route) => route.pattern.test(path))
    done(meant.length > 0 ? wrongMethod(meant) : undefined)
  })

  function unknown(path: string): Fault {
    const matching = routes.filter((route) => route.pattern.test(path))
    const fewest = Math.min(...matching.map((route) => route.parameters))
    const meant = matching.filter((route) => route.parameters === fewest)
    return meant.length > 0 ? wrongMethod(meant) : new Fault('not_found', 'There is nothing at this path.')
  }
}

function pathOf(url: string): string {
  return url.split('?')[0]!
}

function wrongMethod(routes: readonly Route[]): Fault {
  const allow = [...new Set(routes.map((route) => route.method))]
  return new Fault('method_not_allowed', `This path takes ${allow.join(', ')}.`, { allow })
}
