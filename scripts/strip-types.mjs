// Node strips types from TypeScript, but not below node_modules, which is where an installed package lies. This does it
// there, for the package's own files alone. Loaded before everything else, in every thread.
import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'

const root = new URL('..', import.meta.url).href

registerHooks({
  load(url, context, next) {
    const isOwn = url.startsWith(root) && url.endsWith('.ts') && !url.slice(root.length).includes('node_modules/')
    if (!isOwn) return next(url, context)
    return {
      format: 'module',
      source: stripTypeScriptTypes(readFileSync(new URL(url), 'utf8')),
      shortCircuit: true,
    }
  },
})
