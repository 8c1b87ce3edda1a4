import type { Seen } from './findings/findings-model.ts'

export type ModelMemory = {
  id: string
  stage: 'suggested' | 'live' | 'deleted'
  /** Otherwise it is for whoever repairs or reviews, and changes nothing. */
  forTriage: boolean
  /** '' leaves open, here and below. */
  repository: string
  tag: string
  rule: string
  paths: readonly string[]
  cwe: string
  /** When it went live, counted in steps. */
  since: number
}

export function covers(
  { repository, tag, rule, paths, cwe }: ModelMemory,
  { rule: found, path, cwes }: Seen,
  where: { name: string; tags: readonly string[] },
): boolean {
  return (
    (repository === '' || repository === where.name) &&
    (tag === '' || where.tags.includes(tag)) &&
    (rule === '' || rule === found) &&
    (paths.length === 0 || paths.some((prefix) => `${path}/`.startsWith(`${prefix}/`))) &&
    (cwe === '' || cwes.includes(cwe))
  )
}
