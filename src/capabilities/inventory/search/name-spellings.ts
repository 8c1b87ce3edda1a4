import sql, { join, type Sql } from 'sql-template-tag'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../../ecosystems/registry.ts'

/** Where an ecosystem writes a part of a name (in lower case) otherwise than it was typed, and how. */
export function otherSpellings(part: string): { ecosystem: EcosystemId; part: string }[] {
  return Object.values(ecosystems).flatMap((ecosystem) => {
    const spelled = ecosystem.normalizePart(part)
    return spelled === part || spelled === '' ? [] : [{ ecosystem: ecosystem.id, part: spelled }]
  })
}

/** How an ecosystem writes a part of a name; as it is where nothing would be left of it. */
export function spellingIn(ecosystem: string, part: string): string {
  return ecosystems[ecosystem as EcosystemId].normalizePart(part) || part
}

/** That something holds for a package `p` and the part as it was typed, or as the ecosystem of the package writes it. */
export function inAnySpelling(part: string, holds: (part: Sql) => Sql): Sql {
  const others = otherSpellings(part).map(
    (other) => sql`(p.ecosystem = ${other.ecosystem} and ${holds(sql`${other.part}::text`)})`,
  )
  const asTyped = holds(sql`${part}::text`)
  return others.length === 0 ? asTyped : sql`(${join([asTyped, ...others], ' or ')})`
}

/** That the name of a package `p` has this part, in whatever spelling of it. */
export function hasPart(part: string): Sql {
  return inAnySpelling(part, (text) => sql`strpos(p.search_text, ${text}) > 0`)
}
