import { auditPackages, knowsEcosystem, type PackageAdvisory } from '../../../capabilities/vulnerabilities/public.ts'
import { ecosystems } from '../../../ecosystems/registry.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Database } from '../../../kernel/database/database.ts'
import type { ReleaseCheck } from '../../release-check.ts'
import { bulkAnswer, treeAnswer } from './audit-answer.ts'
import type { AuditedVersion } from './audited-versions.ts'

export type OwnAudit = ReturnType<typeof createOwnAudit>

const npm = ecosystems.npm
const knownForMs = 60_000
const batch = 500

/** Answers audits from our own advisories, malicious packages among them: nobody outside learns what is installed here. */
export function createOwnAudit({ db, check, now }: { db: Database; check: ReleaseCheck; now(): number }) {
  let known: { until: number; is: Promise<boolean> } | undefined

  function knowsAdvisories(actor: Actor): Promise<boolean> {
    if (known && now() < known.until) return known.is
    const is = knowsEcosystem(db.as(actor), npm)
    known = { until: now() + knownForMs, is }
    is.catch(() => {
      known = undefined
    })
    return is
  }

  /** Undefined where no advisory about npm packages is known, so that we cannot tell. */
  async function answer(actor: Actor, audited: readonly AuditedVersion[], path: string): Promise<object | undefined> {
    if (!(await knowsAdvisories(actor))) return undefined
    const installed = [...new Map(audited.map(([name, version]) => [`${name}@${version}`, { name, version }])).values()]
    const found: PackageAdvisory[] = []
    for (let at = 0; at < installed.length; at += batch) {
      const part = installed.slice(at, at + batch)
      found.push(...(await auditPackages(db.as(actor), npm, part)))
      for (const { name, version } of part) {
        const { rule, refuse, advisoryIds } = check.judge(actor, { name, version })
        if (refuse && rule === 'malicious') found.push(malware(name, version, advisoryIds))
      }
    }
    const advisories = merged(found)
    return path.endsWith('/bulk') ? bulkAnswer(advisories) : treeAnswer(advisories, audited)
  }

  return { answer }
}

function malware(name: string, version: string, ids: readonly string[]): PackageAdvisory {
  const id = ids[0] ?? name
  return {
    ids: [id],
    name,
    title: `Malware in ${name}`,
    severity: 'critical',
    score: 0,
    vector: '',
    cwes: ['CWE-506'],
    links: [],
    ranges: [],
    listed: [],
    versions: [version],
  }
}

/** Parts of a list may have met the same advisory. */
function merged(advisories: readonly PackageAdvisory[]): PackageAdvisory[] {
  const groups = Map.groupBy(advisories, ({ ids, name }) => `${ids[0]} ${name}`)
  return [...groups.values()].map((same) => ({
    ...same[0]!,
    versions: [...new Set(same.flatMap(({ versions }) => versions))],
  }))
}
