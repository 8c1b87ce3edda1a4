import sql from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Database, Queryable } from '../../../kernel/database/database.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import { refusedPeople } from '../../firewall-activity/public.ts'
import { joinPackages, joinVersions, listRepositoriesWith } from '../../inventory/public.ts'
import { repositoriesHaving } from '../exposure/exposure-store.ts'
import { shownVerdict } from '../verdicts/shown-verdict.ts'
import type { ExceptionEvidence, FirewallException } from './exception-contract.ts'
import type { Subject } from './exception-store.ts'
import type { Exceptions } from './exceptions.ts'
import { knownVulnerabilities } from './known-vulnerabilities.ts'

const mostRepositories = 50
const mostPeople = 50
const refusedDays = 30
const dayMs = 86_400_000

type Parts = { db: Database; clock: Clock; exceptions: Pick<Exceptions, 'get' | 'verdictNow'> }

/** What whoever decides about an exception wants to know. */
export function createEvidence({ db, clock, exceptions }: Parts) {
  return async function evidence(actor: Actor, id: number): Promise<ExceptionEvidence> {
    const exception: FirewallException = await exceptions.get(actor, id)
    const { ecosystem, name, version } = exception
    const read = db.as(actor)
    const since = new Date(clock.now().getTime() - refusedDays * dayMs)
    const verdict = await exceptions.verdictNow(actor, exception)
    const users = await repositoriesHaving(read, [{ ecosystem, name }])
    const people = await refusedPeople(
      read,
      { ecosystems: [ecosystem], name: { exact: name }, version, since },
      mostPeople,
    )
    return {
      verdict: verdict ? shownVerdict(verdict) : null,
      vulnerabilities: (await knownVulnerabilities(read, exception)).map(({ versions: _, ...each }) => each),
      repositoryCount: users.length,
      repositories: await repositories(read, actor, exception),
      refusals: people.map(({ personId, personName, count, lastAt }) => ({
        personId,
        personName,
        count,
        lastAt: lastAt.toISOString(),
      })),
    }
  }
}

async function repositories(db: Queryable, actor: Actor, { ecosystem, name }: Subject) {
  const named = sql`(select ${name}::text as name, ${ecosystem}::text as ecosystem)`
  const versions = sql`select v.id from ${named} named ${joinPackages(sql`${db.deploymentId}`, sql`named`)}
    ${joinVersions(sql`${db.deploymentId}`)}`
  const rows = await listRepositoriesWith(db, actor, versions, { after: 0, size: mostRepositories })
  return rows.slice(0, mostRepositories).map(({ id, repository, dependencies }) => ({
    id,
    name: repository,
    versions: [...new Set(dependencies.map((each) => each.version))],
  }))
}
