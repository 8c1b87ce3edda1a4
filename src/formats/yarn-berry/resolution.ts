import { withoutCredentials } from '../address.ts'
import { isLocal, isRuntime, splitNameAt } from '../npm-specifier.ts'

export type Resolution = {
  name: string
  /** '' where the resolution is an address. */
  version: string
  resolved: string
  kind: 'package' | 'patch' | 'project'
}

/** `name@protocol:reference::bindings`, e.g. `a@npm:1.0.0::__archiveUrl=https%3A%2F%2F...` or `b@workspace:packages/b`. */
export function parseResolution(resolution: string): Resolution {
  const { name, rest } = splitNameAt(resolution)
  const bindingsAt = rest.indexOf('::')
  const reference = bindingsAt === -1 ? rest : rest.slice(0, bindingsAt)
  const bindings = bindingsAt === -1 ? '' : rest.slice(bindingsAt + 2)
  if (reference.startsWith('patch:')) return { name, version: '', resolved: '', kind: 'patch' }
  if (isLocal(reference) || isRuntime(reference)) return { name, version: '', resolved: '', kind: 'project' }
  if (reference.startsWith('npm:')) {
    return { name, version: reference.slice(4), resolved: archiveUrl(bindings), kind: 'package' }
  }
  return { name, version: '', resolved: withoutCredentials(reference), kind: 'package' }
}

function archiveUrl(bindings: string): string {
  const binding = bindings.split('&').find((pair) => pair.startsWith('__archiveUrl='))
  try {
    return binding ? withoutCredentials(decodeURIComponent(binding.slice('__archiveUrl='.length))) : ''
  } catch {
    return '' // not percent-encoded as it should be
  }
}
