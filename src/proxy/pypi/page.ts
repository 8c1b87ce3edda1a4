import { escaped } from './html-anchors.ts'
import type { Project, ProjectFile } from './project.ts'

export type PageForm = 'json' | 'html'

export const pageTypes = {
  json: 'application/vnd.pypi.simple.v1+json',
  html: 'application/vnd.pypi.simple.v1+html',
  plain: 'text/html',
}

/** A file as our clients get to see it: a refused one is yanked, with the reason why (PEP 592). */
export type ShownFile = { file: ProjectFile; yanked: string | undefined; url: string }

/**
 * What a client takes, by its own ranking (PEP 691, "Version + Format Selection"); where it has none, the plainest.
 */
export function pageTypeFor(accept: string | undefined): (typeof pageTypes)[keyof typeof pageTypes] {
  const ranked = (accept ?? '')
    .split(',')
    .map((entry) => {
      const [type = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
      const quality = parameters.find((parameter) => parameter.startsWith('q='))
      return { type: type.replace('.latest+', '.v1+'), quality: quality ? Number(quality.slice(2)) || 0 : 1 }
    })
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality)
  for (const { type } of ranked) {
    const known = Object.values(pageTypes).find((one) => one === type)
    if (known) return known
  }
  return pageTypes.plain
}

/**
 * A refused file is shown as yanked: a resolver passes it over, and who pins it is told why when they fetch it. Where
 * nothing else is left to choose it is shown as it is, or the client would only say that there is no such project.
 */
export function shownFiles(
  base: string,
  project: string,
  refused: ReadonlyMap<string, string>,
  { files }: Pick<Project, 'files'>,
): ShownFile[] {
  const isHopeless = refused.size === files.size
  return [...files.values()].map((file) => ({
    file,
    url: `${base}/simple/${project}/${encodeURIComponent(file.filename)}`,
    yanked: isHopeless ? file.yanked : (refused.get(file.filename) ?? file.yanked),
  }))
}

export function renderPage(project: string, shown: ShownFile[], form: PageForm): string {
  return form === 'json' ? renderJson(project, shown) : renderHtml(project, shown)
}

function renderJson(project: string, shown: ShownFile[]): string {
  const hasSizes = shown.every(({ file }) => file.size !== undefined)
  const files = shown.map(({ file, yanked, url }) => {
    const metadata = file.metadata ? { [file.metadata.algorithm]: file.metadata.hex } : undefined
    return {
      filename: file.filename,
      url,
      hashes: file.hashes,
      ...(file.requiresPython === undefined ? {} : { 'requires-python': file.requiresPython }),
      // Not under its former name, `dist-info-metadata`: pip 22.3 to 23.0 breaks down over that (PEP 714).
      ...(metadata ? { 'core-metadata': metadata } : {}),
      ...(file.size === undefined ? {} : { size: file.size }),
      ...(file.uploadedAt === undefined ? {} : { 'upload-time': file.uploadedAt.toISOString() }),
      yanked: yanked === undefined ? false : yanked || true,
    }
  })
  const versions = [...new Set(shown.map(({ file }) => file.version))]
  // PEP 700 asks for all sizes and versions as of 1.1.
  const more = hasSizes ? { meta: { 'api-version': '1.1' }, versions } : { meta: { 'api-version': '1.0' } }
  return JSON.stringify({ ...more, name: project, files })
}

function renderHtml(project: string, shown: ShownFile[]): string {
  const lines = shown.map(({ file, yanked, url }) => {
    const [algorithm] = ['sha256', 'sha512', 'sha384', 'sha1', 'md5'].filter((name) => file.hashes[name])
    const fragment = algorithm ? `#${algorithm}=${file.hashes[algorithm]}` : ''
    const metadata = file.metadata && `${file.metadata.algorithm}=${file.metadata.hex}`
    const attributes = {
      href: url + fragment,
      'data-requires-python': file.requiresPython,
      'data-dist-info-metadata': metadata,
      'data-core-metadata': metadata,
      'data-yanked': yanked,
    }
    const written = Object.entries(attributes)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => ` ${name}="${escaped(value!)}"`)
    return `    <a${written.join('')}>${escaped(file.filename)}</a><br>`
  })
  const head = `<meta name="pypi:repository-version" content="1.0"><title>Links for ${escaped(project)}</title>`
  return `<!DOCTYPE html>\n<html>\n  <head>${head}</head>\n  <body>\n    <h1>Links for ${escaped(project)}</h1>\n${lines.join('\n')}\n  </body>\n</html>\n`
}
