import assert from 'node:assert/strict'
import sql from 'sql-template-tag'
import type { Answer, TestGatehouse } from '../../../test/gatehouse.ts'
import { recount } from '../findings/public.ts'
import type { Memory } from './memory.ts'

export type MemoryTest = { path: string; rule: string; state: number; decidedBy: number; deciderId: number }

/** What tests ask the first deployment about memories; every answer is expected to be one of success. */
export function openMemories(gatehouse: TestGatehouse) {
  const { deploymentId } = gatehouse.owner
  const memoriesPath = `/api/ai/deployments/${deploymentId}/memories`
  const repositoriesPath = `/api/repositories/v1/deployments/${deploymentId}/repositories`

  const ask = (method: string, path: string, body?: object, as = gatehouse.owner.token): Promise<Answer> =>
    gatehouse.call(method, memoriesPath + path, { as, ...(body && { body }) })

  async function expect(method: string, path: string, body?: object, as?: string) {
    const answer = await ask(method, path, body, as)
    assert.equal(answer.status, 200, `${method} ${path}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  const create = async (body: object, as?: string): Promise<Memory> =>
    (await expect('POST', '', { content: 'Known and harmless', ...body }, as)).memory
  const update = async (id: string, body: object, as?: string): Promise<Memory> =>
    (await expect('PATCH', `/${id}`, body, as)).memory
  const remove = async (id: string): Promise<Memory> => (await expect('DELETE', `/${id}`)).memory
  const promote = async (id: string, body: object = {}): Promise<Memory> =>
    (await expect('POST', `/${id}/promote`, body)).memory
  const list = async (filter: object, as?: string): Promise<Memory[]> =>
    (await expect('POST', '/list', { filter }, as)).memories
  const suggest = async (body: object = {}, as?: string): Promise<Memory[]> =>
    (await expect('POST', '/suggest', body, as)).memories

  async function addRepository(name: string, tags: string[] = []): Promise<string> {
    const answer = await gatehouse.call('POST', repositoriesPath, { body: { name, tags } })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return String(answer.body.repository.id)
  }

  async function tag(repositoryId: string, tags: string[]): Promise<void> {
    const answer = await gatehouse.call('PATCH', `${repositoriesPath}/${repositoryId}`, { body: { tags } })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }

  async function tagId(name: string): Promise<number> {
    const answer = await gatehouse.call('GET', `/api/repositories/v1/deployments/${deploymentId}/tags`)
    return answer.body.tags.find((one: { name: string }) => one.name === name).id
  }

  /** What the findings of a repository are, by path. */
  function standing(repositoryId: string): Promise<MemoryTest[]> {
    return gatehouse.db.as({ deploymentId }).query(sql`select f.path, r.external_id as rule, f.state,
        f.decided_by as "decidedBy", f.decider_id as "deciderId"
      from finding f join finding_rule r on r.deployment_id = f.deployment_id and r.id = f.rule_id
      where f.deployment_id = ${deploymentId} and f.repository_id = ${repositoryId} order by f.path, f.id`)
  }

  /** The same in short: state and the memory that holds it. */
  async function states(repositoryId: string): Promise<Record<string, string>> {
    const word = (one: MemoryTest) => (one.decidedBy === 2 ? `${one.state} by ${one.deciderId}` : String(one.state))
    return Object.fromEntries((await standing(repositoryId)).map((one) => [one.path, word(one)]))
  }

  async function findingIds(repositoryId: string): Promise<Record<string, number>> {
    const rows = await gatehouse.db.as({ deploymentId }).query<{ path: string; id: number }>(sql`select f.path, f.id
      from finding f where f.deployment_id = ${deploymentId} and f.repository_id = ${repositoryId} order by f.id`)
    return Object.fromEntries(rows.map((row) => [row.path, row.id]))
  }

  async function triage(findingId: number, body: object, as = gatehouse.owner.token): Promise<void> {
    const answer = await gatehouse.call('POST', `/api/findings/${deploymentId}/findings/${findingId}`, { as, body })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  }

  async function requireRightCounters(): Promise<void> {
    assert.deepEqual(await recount(gatehouse.db.as({ deploymentId })), [])
  }

  const requests = { create, update, remove, promote, list, suggest, addRepository, tag, tagId, triage }
  return { ...requests, ask, states, standing, findingIds, requireRightCounters }
}
