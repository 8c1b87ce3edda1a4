import { isForeignPath } from './sources.ts'

/** Addresses of a repository in a browser, with names in braces where values go. Empty: there is none. */
export type LinkTemplates = { file: string; commit: string; pullRequest: string }

const none: LinkTemplates = { file: '', commit: '', pullRequest: '' }

const hosts: { isHost: (host: string) => boolean; templates: LinkTemplates }[] = [
  {
    isHost: (host) => host === 'github.com' || host.startsWith('github.'),
    templates: { file: '/blob/{commit}/{path}#L{line}', commit: '/commit/{commit}', pullRequest: '/pull/{number}' },
  },
  {
    isHost: (host) => host === 'gitlab.com' || host.startsWith('gitlab.'),
    templates: {
      file: '/-/blob/{commit}/{path}#L{line}',
      commit: '/-/commit/{commit}',
      pullRequest: '/-/merge_requests/{number}',
    },
  },
  {
    isHost: (host) => host === 'bitbucket.org',
    templates: {
      file: '/src/{commit}/{path}#lines-{line}',
      commit: '/commits/{commit}',
      pullRequest: '/pull-requests/{number}',
    },
  },
  {
    isHost: (host) => host === 'dev.azure.com' || host.endsWith('.visualstudio.com'),
    templates: {
      file: '?path=/{path}&version=GC{commit}&line={line}&lineStartColumn=1&lineEndColumn=1&lineEnd={line}',
      commit: '/commit/{commit}',
      pullRequest: '/pullrequest/{number}',
    },
  },
]

/** What was said for the repository, and for the rest what its host is known to do. */
export function templatesFor(webUrl: string, given: Partial<LinkTemplates>): LinkTemplates {
  const known = webUrl === '' ? undefined : hosts.find(({ isHost }) => isHost(new URL(webUrl).hostname))?.templates
  const root = webUrl.replace(/\/+$/, '')
  const derived = known && Object.fromEntries(Object.entries(known).map(([name, end]) => [name, root + end]))
  return { ...none, ...derived, ...given }
}

type Place = { path: string; line: number; commit: string; ref: string; pullRequest: number }

/** The addresses of one place. One that needs what is not known is left out. */
export function linksTo(templates: LinkTemplates, place: Place): LinkTemplates {
  const { path, line, commit, ref, pullRequest } = place
  const values: Record<string, string> = {
    // A file is shown as of its branch where nobody told the commit.
    commit: encodeURIComponent(commit || ref),
    ref: ref.split('/').map(encodeURIComponent).join('/'),
    path: path.split('/').map(encodeURIComponent).join('/'),
    line: String(line || 1),
    number: String(pullRequest),
  }
  const fill = (template: string) => template.replace(/\{([a-z]+)\}/g, (_, name: string) => values[name] ?? '')
  // What another product's client sent is no file of the repository.
  const isInside = path !== '' && !path.split('/').includes('..') && !isForeignPath(path)
  return {
    file: isInside && (commit || ref) ? fill(templates.file) : '',
    commit: commit ? fill(templates.commit) : '',
    pullRequest: pullRequest > 0 ? fill(templates.pullRequest) : '',
  }
}

const names = new Set(['path', 'line', 'commit', 'ref', 'number'])

/** What is wrong with an address that others will be sent to; undefined: nothing. */
export function wrongAddress(text: string): string | undefined {
  if (text === '') return undefined
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return 'is not an http or https address'
  const url = new URL(text)
  if (url.username !== '' || url.password !== '') return 'holds credentials'
  return undefined
}

/** The same for a template. Values come from scans: none of them may decide which host a link leads to. */
export function wrongTemplate(text: string): string | undefined {
  const wrong = wrongAddress(text.replace(/\{[a-z]+\}/g, 'x'))
  if (wrong) return wrong
  const unknown = [...text.matchAll(/\{([^{}]*)\}/g)].find(([, name]) => !names.has(name!))
  if (unknown) return `knows no ${unknown[0]}`
  if (/^https?:\/\/[^/?#]*[{}\\]/i.test(text)) return 'has a name in braces in its host'
  return undefined
}
