import assert from 'node:assert/strict'
import { createFindingTriage } from '../../src/capabilities/findings/lifecycle/triage.ts'
import { sarifLog } from '../../src/capabilities/findings/test-log.ts'
import type { RuleMode } from '../../src/capabilities/policies/contract.ts'
import { modeForRule } from '../../src/capabilities/policies/mode-for-rule.ts'
import { upload } from '../../src/capabilities/scans/test-upload.ts'
import * as codes from '../../src/domain/finding-codes.ts'
import * as names from '../../src/domain/wire-names.ts'
import { systemActor } from '../../src/kernel/access/actor.ts'
import type { TestGatehouse } from '../gatehouse.ts'
import type { ModelMemory } from '../memories-model.ts'
import { createModel, type ModelFinding, type ModelTarget } from './findings-model.ts'
import { beginning, stateName } from './findings-questions.ts'
import { readFindings } from './findings-rows.ts'
import { type Action, repositoryCount, type Scope, tags, type Upload } from './findings-story.ts'

type Act<Op extends Action['op']> = Extract<Action, { op: Op }>
type Sent = Omit<Upload, 'op' | 'repository'> & { repository: string }

export type World = Awaited<ReturnType<typeof openWorld>>

let made = 0

/** A story told twice: to Gatehouse, over HTTP, and to the model. */
export async function openWorld(gatehouse: TestGatehouse) {
  const model = createModel()
  const ids = new Map<string, number>()
  /** The repositories by their place in the story. */
  const repositories: string[] = []
  const tagIds = new Map<string, number>()
  const sent: Sent[] = []
  const lastScan = new Map<string, { at: Date; log: string }>()
  let steps = 0

  const policies = (await call('GET', '/api/policies/v1/deployments/1/policies')).policies
  const policyId = (productType: string) =>
    policies.find((one: { productType: string }) => one.productType === productType).id
  for (let at = 0; at < repositoryCount; at++) repositories.push(await addRepository(at === 0 ? tags : []))
  for (const { name, id } of (await call('GET', '/api/repositories/v1/deployments/1/tags')).tags) tagIds.set(name, id)
  await police({ op: 'police', code: {}, secrets: {} })

  async function call(method: string, path: string, body?: object) {
    const answer = await gatehouse.call(method, path, body && { body })
    assert.equal(answer.status, 200, `${method} ${path} ${JSON.stringify(body)}: ${JSON.stringify(answer.body)}`)
    return answer.body
  }

  const repositoryPath = (name: string) => `/api/repositories/v1/deployments/1/repositories/${ids.get(name)}`

  async function addRepository(carried: string[]): Promise<string> {
    const name = `story/${++made}`
    const { repository } = await call('POST', '/api/repositories/v1/deployments/1/repositories', {
      name,
      tags: carried,
    })
    ids.set(name, repository.id)
    model.repositories.set(name, { name, tags: carried, exposed: false })
    return name
  }

  async function send(scan: Sent): Promise<void> {
    const { repository, target, source, branch, log, failed } = scan
    const place: ModelTarget = { repository, target, source }
    const subject = `${repository} ${target}`
    const last = lastScan.get(subject)
    // Where nothing was scanned yet, somewhere in the first weeks.
    const after = last?.at ?? new Date(beginning + (log.length + source.length + steps) * 3 * 86_400_000)
    const then = scan.gap === 'now' ? Number.POSITIVE_INFINITY : after.getTime() + Number(scan.gap)
    const performedAt = then < Math.max(after.getTime(), Date.now() - 86_400_000) ? new Date(then) : undefined
    const document = sarifLog({ tool: source, results: log.map((one) => one.result), failed })
    const pullRequest = { kind: 'SCAN_KIND_PULL_REQUEST', ref: branch, pullRequest: target, baseRef: 'main' }
    const about = typeof target === 'number' ? pullRequest : { ref: target }
    const before = new Date()
    const answer = await upload(
      gatehouse,
      { repository, ...about, ...(performedAt && { performedAt: performedAt.toISOString() }) },
      { 'log.sarif': document },
    )
    if (answer.body.repeated) {
      assert.equal(last?.log, document, 'only what was said last of a ref or pull request is a repetition')
      return
    }
    if (last && performedAt && performedAt < last.at) {
      assert.equal(answer.status, 422, JSON.stringify(answer.body))
      return
    }
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    model.upload(place, {
      observed: log.map((one) => one.seen),
      complete: !failed,
      at: performedAt ?? before,
    })
    lastScan.set(subject, { at: new Date(answer.body.scan.performedAt), log: document })
    sent.push(scan)
    if (!performedAt) await learnTimes(before)
  }

  /** When exactly something was raised just now only Gatehouse can tell. */
  async function learnTimes(before: Date): Promise<void> {
    const rows = new Map((await readFindings(gatehouse)).map((row) => [row.key, row]))
    for (const one of model.findings()) {
      if (one.raisedAt !== before) continue
      one.raisedAt = rows.get(keyOf(one))?.raised_at ?? before
      assert.ok(one.raisedAt >= before && one.raisedAt <= new Date())
    }
  }

  /** Some of what there is, the same in both worlds. */
  async function choose(at: readonly number[]): Promise<{ ids: number[]; findings: ModelFinding[] }> {
    const rows = await readFindings(gatehouse)
    const byKey = new Map(model.findings().map((one) => [keyOf(one), one]))
    const chosen = [...new Set(at.map((one) => one % Math.max(1, rows.length)))].filter((one) => one < rows.length)
    return { ids: chosen.map((one) => rows[one]!.id), findings: chosen.map((one) => byKey.get(rows[one]!.key)!) }
  }

  async function triage({ how, chosen, state, reason }: Act<'triage'>): Promise<void> {
    const some = await choose(chosen)
    if (some.ids.length === 0) return
    const decision = {
      triageState: stateName(state),
      triageReason: names.reasonNames.ofCode(codes.reason.code(reason)),
      // What goes along on other branches has tests of its own.
      thisBranchOnly: true,
    }
    if (how === 'alone') {
      await call('POST', `/api/findings/1/findings/${some.ids[0]}`, decision)
      model.triage(some.findings.slice(0, 1), state, reason, true)
    } else if (how === 'ids') {
      await call('POST', '/api/findings/1/findings/triage', { findingIds: some.ids.map(String), ...decision })
      model.triage(some.findings, state, reason, false)
    } else {
      const { place, seen } = some.findings[0]!
      const filter = { repositories: [place.repository], ruleIds: [seen.rule] }
      await call('POST', '/api/findings/1/findings/triage', { filter, ...decision })
      const alike = model
        .findings()
        .filter((one) => one.place.repository === place.repository && one.seen.rule === seen.rule)
      model.triage(alike, state, reason, false)
    }
  }

  async function automate({ chosen, state }: Act<'automate'>): Promise<void> {
    const some = await choose(chosen)
    const decree = {
      by: 'automation',
      deciderId: 9,
      findingIds: some.ids,
      triageState: stateName(state),
      note: '',
    } as const
    await gatehouse.db.transaction(systemActor(1, 'story'), (tx) =>
      createFindingTriage(gatehouse.db).decree(tx, decree),
    )
    model.automate(some.findings, state)
  }

  const memoriesPath = '/api/ai/deployments/1/memories'

  function fieldsOf({ about, what, forTriage }: Scope) {
    const { repository, tag } = about as { repository?: number; tag?: string }
    const name = repository === undefined ? '' : repositories[repository]!
    const { rule = '', paths = [], cwe = '' } = what
    const body = {
      context: [forTriage ? 'AI_MEMORY_CONTEXT_TRIAGE' : 'AI_MEMORY_CONTEXT_REVIEW'],
      repositoryId: name && String(ids.get(name)),
      projectTagId: tag === undefined ? 0 : tagIds.get(tag),
      ...{ ruleId: rule, pathPrefixes: paths, vulnerabilityClass: cwe },
    }
    return { body, told: { repository: name, tag: tag ?? '', rule, paths, cwe, forTriage } }
  }

  async function remember(action: Act<'remember'>): Promise<void> {
    const { body, told } = fieldsOf(action)
    const stage = action.live ? 'live' : 'suggested'
    const asked = { content: 'Harmless', stage: `AI_MEMORY_STAGE_${stage.toUpperCase()}`, ...body }
    const { memory } = await call('POST', memoriesPath, asked)
    const one: ModelMemory = { id: memory.id, stage, since: ++steps, ...told }
    assert.deepEqual(memory.preanalysisCounts, { newlyTruePositive: '0', ...model.replay(one) })
    model.memories().push(one)
    model.settle()
  }

  async function onMemory(action: Act<'rephrase' | 'promote' | 'forget'>): Promise<void> {
    const one = model.memories()[action.which]
    if (!one || one.stage === 'deleted') return
    const path = `${memoriesPath}/${one.id}`
    if (action.op === 'rephrase') {
      const { body, told } = fieldsOf(action)
      await call('PATCH', path, body)
      Object.assign(one, told)
    } else if (action.op === 'promote') {
      const { memory } = await call('POST', `${path}/promote`, {})
      if (one.stage === 'suggested') {
        assert.deepEqual(memory.preanalysisCounts, { newlyTruePositive: '0', ...model.replay(one) })
        Object.assign(one, { stage: 'live', since: ++steps })
      }
    } else {
      await call('DELETE', path)
      one.stage = 'deleted'
    }
    model.settle()
  }

  async function police({ code, secrets }: Act<'police'>): Promise<void> {
    const toRules = (modes: object) => Object.entries(modes).map(([rule, mode]) => ({ rule, mode: mode as RuleMode }))
    const put = (productType: string, modes: object) =>
      call('PUT', `/api/policies/v1/deployments/1/policies/${policyId(productType)}/rules`, { rules: toRules(modes) })
    await put('PRODUCT_TYPE_SAST', code)
    await put('PRODUCT_TYPE_SECRETS', secrets)
    const [ofCode, ofSecrets] = [modeForRule(toRules(code)), modeForRule(toRules(secrets))]
    model.setModes(({ product, rule }) => {
      if (product === 'sca') return 'comment'
      return product === 'secrets' ? ofSecrets(rule) : ofCode(rule)
    })
  }

  async function change(name: string, changes: object): Promise<void> {
    await call('PATCH', repositoryPath(name), changes)
  }

  async function removeRepository(name: string): Promise<void> {
    await call('DELETE', repositoryPath(name))
    model.remove(name)
  }

  async function play(action: Action): Promise<void> {
    steps++
    if (action.op === 'upload') return send({ ...action, repository: repositories[action.repository]! })
    if (action.op === 'triage') return triage(action)
    if (action.op === 'automate') return automate(action)
    if (action.op === 'remember') return remember(action)
    if (action.op === 'rephrase' || action.op === 'promote' || action.op === 'forget') return onMemory(action)
    if (action.op === 'police') return police(action)
    if (action.op === 'again') {
      const scan = sent.findLast((_, at) => at <= action.which)
      if (!scan || !model.repositories.has(scan.repository)) return
      return send({ ...scan, log: action.reversed ? scan.log.toReversed() : scan.log, gap: action.gap })
    }
    const repository = model.repositories.get(repositories[action.repository]!)!
    if (action.op === 'end') {
      const { pullRequest } = action
      const path = '/api/scans/v1/deployments/1/ended-pull-requests'
      const { endedFindings } = await call('POST', path, { repository: repository.name, pullRequest })
      assert.equal(endedFindings, model.end(repository.name, pullRequest))
    } else if (action.op === 'tag') {
      await change(repository.name, { tags: action.tags })
      repository.tags = action.tags
      model.settle()
    } else if (action.op === 'expose') {
      repository.exposed = !repository.exposed
      await change(repository.name, { publiclyExposed: repository.exposed })
    } else {
      await removeRepository(repository.name)
      repositories[action.repository] = await addRepository([])
    }
  }

  async function close(): Promise<void> {
    for (const one of model.memories()) if (one.stage !== 'deleted') await call('DELETE', `${memoriesPath}/${one.id}`)
    for (const name of repositories) await removeRepository(name)
  }

  return { play, close, model, repositories, ids }
}

export function keyOf({ place, seen }: ModelFinding): string {
  return [place.repository, place.target, place.source, seen.identity].join(' | ')
}
