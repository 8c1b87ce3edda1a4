import { readFile } from 'node:fs/promises'
import { apart, type DefaultUpstream } from './default-upstream.ts'
import { isWebAddress, outputOf } from './run-client.ts'

const publicRegistry = 'https://registry.npmjs.org/'

/** The registry that npm uses on this machine, and the token its files have for that registry and no other. */
export async function npmClientUpstream(): Promise<DefaultUpstream> {
  const listed = await outputOf('npm', ['config', 'get', 'registry', 'userconfig', 'globalconfig'])
  const settings = new Map((listed ?? '').split('\n').map((line) => lineParts(line)))
  const registry = settings.get('registry')
  if (!isWebAddress(registry)) {
    return { url: publicRegistry, authorization: undefined, artifactHosts: [], source: 'npm is not installed here' }
  }
  const { url, authorization } = apart(registry)
  const files = [settings.get('globalconfig'), settings.get('userconfig')]
  const texts = await Promise.all(files.map((file) => readFile(file ?? '', 'utf8').catch(() => '')))
  const stored = authorizationIn(texts.join('\n'), url, process.env)
  return { url, authorization: stored ?? authorization, artifactHosts: [], source: 'npm config get registry' }
}

/**
 * npm binds credentials to an address without its scheme, `//host/path/:_authToken=…`, and takes the longest that the
 * registry's begins with. Later lines win.
 */
export function authorizationIn(npmrc: string, url: string, env: NodeJS.ProcessEnv): string | undefined {
  const lines = new Map(npmrc.split(/\r?\n/).map((line) => lineParts(line)))
  const setTo = (place: string, field: string) => {
    const value = lines.get(`${place}:${field}`)
    return value?.replace(/\$\{([^}]+)\}/g, (_, name: string) => env[name] ?? '')
  }
  for (const place of placesOf(url)) {
    const token = setTo(place, '_authToken')
    if (token) return `Bearer ${token}`
    const basic = setTo(place, '_auth')
    if (basic) return `Basic ${basic}`
    const [username, password] = [setTo(place, 'username'), setTo(place, '_password')]
    if (username && password) {
      const login = `${username}:${Buffer.from(password, 'base64').toString('utf8')}`
      return `Basic ${Buffer.from(login).toString('base64')}`
    }
  }
  return undefined
}

/** `//host/a/b/`, `//host/a/b`, `//host/a/`, …, `//host/`. */
function placesOf(url: string): string[] {
  const { host, pathname } = new URL(url)
  const parts = pathname.split('/').filter(Boolean)
  const places: string[] = []
  for (let length = parts.length; length >= 0; length--) {
    const path = parts.slice(0, length).map((part) => `${part}/`)
    places.push(`//${host}/${path.join('')}`, `//${host}/${path.join('')}`.replace(/\/$/, ''))
  }
  return places
}

function lineParts(line: string): [string, string] {
  const at = line.indexOf('=')
  if (at < 0 || /^\s*[#;]/.test(line)) return ['', '']
  const value = line.slice(at + 1).trim()
  return [line.slice(0, at).trim(), value.replace(/^(["'])(.*)\1$/, '$2')]
}
