import { pypi } from '../../ecosystems/pypi/ecosystem.ts'

/** Who needs a package, as pip-compile and uv write it below the requirement. */
export type Via = { direct: boolean; parents: string[] }

/**
 * `# via flask`, `# via -r requirements.in`, or `# via` with one line each below it; undefined where there is no such
 * comment. A file (`-r x.in`, `project (pyproject.toml)`) is what people wrote, so the package is direct.
 */
export function readVia(comments: readonly string[]): Via | undefined {
  const start = comments.findIndex((comment) => /^#\s*via\b/.test(comment))
  if (start === -1) return undefined
  const via: Via = { direct: false, parents: [] }
  for (const [at, comment] of comments.slice(start).entries()) {
    const names = comment.replace(at === 0 ? /^#\s*via:?\s*/ : /^#\s*/, '')
    if (at > 0 && !/^#\s{2,}\S/.test(comment)) break
    for (const name of names.split(',').map((one) => one.trim())) {
      if (/^-[rc]\s|^-r$/.test(name) || endsInParentheses(name)) via.direct ||= !name.startsWith('-c')
      else if (/^[A-Za-z0-9][\w.-]*(?:\[[^\]]*\])?$/.test(name)) via.parents.push(name.split('[', 1)[0]!)
    }
  }
  return via
}

/**
 * Whether a name that no requirement has is that of the project. `uv export` writes `# via` and the project's name, and the project
 * itself as `-e .` or not at all. Its first comment shows how it was called, and so what else it left out.
 */
export function mayBeProject(text: string): (name: string) => boolean {
  const [, call] = /^(?:#.*\n)*?# {4}uv export\b(.*)/.exec(text.slice(0, 4000)) ?? []
  if (call === undefined) return () => false
  const leftOut = [...call.matchAll(/--(?:no-emit-package|prune)[\s=]+(\S+)/g)].map(([, name]) =>
    pypi.normalizeName(name!),
  )
  return (name) => !leftOut.includes(pypi.normalizeName(name))
}

function endsInParentheses(name: string): boolean {
  return name.endsWith(')') && name.lastIndexOf('(') > name.lastIndexOf(')', name.length - 2)
}
