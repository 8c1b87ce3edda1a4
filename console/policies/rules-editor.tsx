import { type FormEvent, useState } from 'react'
import type { Policy, PolicyRule, RuleMode } from '../../src/capabilities/policies/contract.ts'
import { useAsk, useTaggedChange } from '../api/ask.ts'
import { Problem } from '../api/problem.ts'
import { formatSearch, type Pair } from '../app/address/address.ts'
import { useAskBeforeLeaving } from '../app/address/location.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Input } from '../ui/forms/field.tsx'
import { Link } from '../ui/link.tsx'
import { Table } from '../ui/lists/table.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { Card } from '../ui/page.tsx'
import { Stale } from '../ui/stale.tsx'
import { Empty, ErrorBox } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { plainly } from '../ui/text/foreign-text.ts'
import { plural } from '../ui/text/words.ts'
import { type Found, foundByPattern } from './found.ts'
import { inOrderOfEffect, modeAbout, modes, ruleProblem, sameRules, winnerFor } from './rules.ts'
import { Trial } from './trial.tsx'

type Loaded = { rules: PolicyRule[]; etag: string | undefined }
type Props = {
  policy: Policy
  saved: readonly PolicyRule[]
  etag: string | undefined
  why: string | undefined
  onReload: () => Promise<Loaded | undefined>
}

const textOf = (rules: readonly PolicyRule[]) =>
  inOrderOfEffect(rules)
    .map(({ rule, mode }) => `${rule} ${mode}`)
    .join(', ')

/** A draft of the rules beside what it would have changed. Nothing is in force before it is saved. */
export function RulesEditor({ policy, saved, etag, why, onReload }: Props) {
  const [draft, setDraft] = useState<PolicyRule[]>([...saved])
  const [base, setBase] = useState({ rules: saved, etag })
  const [stale, setStale] = useState<Loaded>()
  const replace = useTaggedChange('replacePolicyRules', ['listPolicyRules'])
  const changed = !sameRules(base.rules, draft)
  useAskBeforeLeaving(changed ? 'The changed rules are not saved. Leave all the same?' : undefined)
  const take = (loaded: Loaded) => {
    setBase(loaded)
    setDraft([...loaded.rules])
    setStale(undefined)
  }
  const put = async (rules: readonly PolicyRule[], ifMatch: string | undefined) => {
    const params = { policyId: Number(policy.id) }
    const { etag: made } = await replace.mutateAsync({ params, body: { rules: [...rules] }, ifMatch })
    const now = await onReload()
    if (now) take(now)
    return made
  }
  const save = async (ifMatch = base.etag) => {
    const before = base.rules
    try {
      const made = await put(draft, ifMatch)
      say('The rules are saved.', () => put(before, made).then(() => say('Undone: the rules are as they were.')))
    } catch (error) {
      if (error instanceof Problem && error.status === 412) setStale(await onReload())
    }
  }
  const rows = inOrderOfEffect(draft)
  const found = useFound(policy, draft)
  const set = (rule: string, mode: RuleMode) =>
    setDraft(draft.map((each) => (each.rule === rule ? { rule, mode } : each)))
  return (
    <>
      <Card title="Rules" aside={`${plural(draft.length, 'pattern')}, in the order of effect`}>
        {!why && <AddRule rules={draft} onAdd={(rule) => setDraft([...draft, rule])} />}
        {rows.length === 0 ? (
          <Empty title="No rules yet">
            <p>A rule that nothing matches is in monitor mode: its findings are recorded and bother nobody.</p>
          </Empty>
        ) : (
          <Table
            label="Rules"
            rows={rows}
            keyOf={(row) => row.rule}
            columns={[
              {
                label: 'Rule',
                cell: (row) => <Foreign text={row.rule} mono />,
              },
              {
                label: 'Findings',
                end: true,
                cell: (row) => (
                  <FoundCount
                    pattern={row.rule}
                    kind={kinds[policy.productType]}
                    found={found?.byPattern.get(row.rule)}
                    known={found?.areAll ?? false}
                  />
                ),
              },
              {
                label: 'Mode',
                cell: (row) => (
                  <select
                    className="input"
                    aria-label={`Mode of ${plainly(row.rule)}`}
                    title={why ?? modeAbout[row.mode]}
                    disabled={why !== undefined}
                    value={row.mode}
                    onChange={(event) => set(row.rule, event.target.value as RuleMode)}
                  >
                    {modes.map((mode) => (
                      <option key={mode} value={mode}>
                        {mode}
                      </option>
                    ))}
                  </select>
                ),
              },
              {
                label: 'What it does',
                wide: true,
                cell: (row) => <span className="muted">{modeAbout[row.mode]}</span>,
              },
              {
                label: 'Actions',
                quiet: true,
                end: true,
                cell: (row) =>
                  !why && (
                    <Button
                      aria-label={`Remove ${row.rule}`}
                      onClick={() => setDraft(draft.filter((each) => each.rule !== row.rule))}
                    >
                      Remove
                    </Button>
                  ),
              },
            ]}
          />
        )}
        {stale && (
          <Stale
            differences={[{ name: 'Rules', mine: textOf(draft), theirs: textOf(stale.rules) }]}
            onTheirs={() => take(stale)}
            onMine={() => void save(stale.etag)}
          />
        )}
        {replace.error && replace.error.status !== 412 && <ErrorBox problem={replace.error} />}
        {!why && (
          <div className="row">
            <Button
              look="primary"
              why={changed ? (replace.isPending ? 'Being saved' : undefined) : 'Nothing is changed.'}
              onClick={() => void save()}
            >
              Save the rules
            </Button>
            {changed && <Button onClick={() => setDraft([...base.rules])}>As they were</Button>}
          </div>
        )}
      </Card>
      <Tester rules={draft} />
      <Trial policyId={Number(policy.id)} isInForce={policy.isDefault} draft={draft} />
    </>
  )
}

const kinds = { PRODUCT_TYPE_SAST: 'code', PRODUCT_TYPE_SECRETS: 'secrets' } as const

/** How often each pattern would have its say: of the hundred rules that found most. Where there are more, some are not counted. */
function useFound({ productType }: Policy, draft: readonly PolicyRule[]) {
  const { may } = useMay('findings:read')
  const body = { filter: { products: [productType] }, fields: ['ruleIds' as const], limit: 100 }
  const { data } = useAsk('facetFindings', { body }, { enabled: may })
  if (!data) return undefined
  const { values = [], hasMore = false } = data.facets[0] ?? {}
  return { areAll: !hasMore, byPattern: foundByPattern(draft, values, !hasMore) }
}

/** An address may name this many. */
const mostLinked = 40

/** `known`: that nothing was found of it means that there is nothing. */
type FoundProps = { pattern: string; kind: string; found: Found | undefined; known: boolean }

function FoundCount({ pattern, kind, found, known }: FoundProps) {
  const to = usePathTo()
  if (!found) return <span className="muted">{known ? '0' : ''}</span>
  const text = `${found.atLeast ? 'at least ' : ''}${found.findings.toLocaleString('en')}`
  if (found.rules.length > mostLinked) return text
  const rules = found.rules.map((rule): Pair => ['rule', rule])
  return (
    <Link
      to={to(`findings${formatSearch([['state', 'any'], ['kind', kind], ...rules])}`)}
      aria-label={`Findings of ${pattern}: ${text}`}
    >
      {text}
    </Link>
  )
}

function AddRule({ rules, onAdd }: { rules: readonly PolicyRule[]; onAdd: (rule: PolicyRule) => void }) {
  const [rule, setRule] = useState('')
  const [mode, setMode] = useState<RuleMode>('comment')
  const [wrong, setWrong] = useState<string>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const problem = ruleProblem(rules, rule.trim())
    setWrong(problem)
    if (problem) return
    onAdd({ rule: rule.trim(), mode })
    setRule('')
  }
  return (
    <form onSubmit={submit} className="stack tight">
      <div className="rule-form">
        <input
          className="input mono"
          aria-label="Rule to add"
          aria-invalid={wrong ? true : undefined}
          placeholder="python.django.security.*"
          maxLength={500}
          value={rule}
          onChange={(event) => setRule(event.target.value)}
        />
        <select
          className="input"
          aria-label="Mode of the rule to add"
          value={mode}
          onChange={(event) => setMode(event.target.value as RuleMode)}
        >
          {modes.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
        <Button type="submit">Add</Button>
      </div>
      {wrong && (
        <span className="wrong small" role="alert">
          {wrong}
        </span>
      )}
    </form>
  )
}

/** Which pattern wins for a rule that is typed in. */
function Tester({ rules }: { rules: readonly PolicyRule[] }) {
  const [typed, setTyped] = useState('')
  const rule = typed.trim()
  const winner = rule ? winnerFor(rules, rule) : undefined
  return (
    <Card title="Which pattern decides?">
      <Input
        label="Id of a rule"
        value={typed}
        placeholder="python.django.security.injection.sql"
        onChange={(event) => setTyped(event.target.value)}
      />
      {rule && (
        <p role="status">
          {winner ? (
            <>
              <code>{winner.rule}</code> decides: <strong>{winner.mode}</strong>. {modeAbout[winner.mode]}
            </>
          ) : (
            <>
              No pattern matches, so it is in <strong>monitor</strong> mode. {modeAbout.monitor}
            </>
          )}
        </p>
      )}
    </Card>
  )
}
