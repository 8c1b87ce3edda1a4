import { useState } from 'react'
import type { RuleListAnswer } from '../../../src/capabilities/firewall/rules/api/rule-contract.ts'
import { ruleSentence } from '../../../src/capabilities/firewall/rules/rule-sentence.ts'
import { useAsk, useChange, useFresh, useTagged } from '../../api/ask.ts'
import type { Body } from '../../api/contracts.ts'
import { useAskBeforeLeaving } from '../../app/address/location.ts'
import { useMay } from '../../app/deployment.ts'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/forms/field.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { type Current, differencesOf, Stale } from '../../ui/stale.tsx'
import { ErrorBox, Part } from '../../ui/states.tsx'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Tag } from '../../ui/text/marks.tsx'
import { RuleDialog } from './rule-dialog.tsx'
import { type DraftRule, draftOf, moved, sentRules } from './rule-draft.ts'
import { RuleTrial } from './rule-trial.tsx'

export function Rules() {
  const asked = useTagged('getFirewallRules')
  const [round, setRound] = useState(0)
  const again = () => void asked.refetch().then(() => setRound((before) => before + 1))
  return (
    <Part of={asked} lines={8}>
      {({ data, etag }) => <RuleEditor key={round} list={data} etag={etag} onAgain={again} />}
    </Part>
  )
}

const modes = [
  { value: 'enforce', label: 'Refuse what the rules refuse' },
  { value: 'monitor', label: 'Only watch: let everything in but malware, and note the rest' },
]

type Props = { list: RuleListAnswer; etag: string | undefined; onAgain: () => void }

/** The whole list is changed on screen, tried, and saved at once. */
function RuleEditor(props: Props) {
  const { why } = useMay('firewall:write')
  // It goes on from the version that it began with, whatever is read again meanwhile.
  const [{ list, etag }] = useState(props)
  const [rules, setRules] = useState<readonly DraftRule[]>(() => list.rules.map(draftOf))
  const [mode, setMode] = useState(list.mode)
  const [editing, setEditing] = useState<DraftRule | 'new'>()
  const [conflict, setConflict] = useState<Current>()
  const fresh = useFresh('getFirewallRules')
  const put = useChange('putFirewallRules', ['getFirewallRules', 'getVerdict'])
  const body = { mode, rules: sentRules(rules) } as Body<'putFirewallRules'>
  const isChanged = mode !== list.mode || JSON.stringify(rules) !== JSON.stringify(list.rules.map(draftOf))
  useAskBeforeLeaving(isChanged ? 'The changed rules are not saved. Leave all the same?' : undefined)
  const save = (ifMatch: string | undefined) =>
    put.mutate(
      { body, ifMatch },
      {
        onSuccess: () => {
          say('The rules are saved, in force within a second.', 'no undo')
          props.onAgain()
        },
        onError: async (problem) => {
          if (problem.status !== 412) return
          const { data, etag: now } = await fresh({})
          setConflict({ etag: now, fields: fieldsOf(data.mode, data.rules.map(draftOf)) })
        },
      },
    )
  const mine = new Map(fieldsOf(mode, rules).map(({ name, value }) => [name, value]))
  const keep = (rule: DraftRule) => {
    setRules(
      rules.includes(editing as DraftRule) ? rules.map((each) => (each === editing ? rule : each)) : [...rules, rule],
    )
    setEditing(undefined)
  }
  return (
    <>
      <Card
        title="What decides about a version, in this order"
        aside={
          <Button why={why} onClick={() => setEditing('new')}>
            Add a rule…
          </Button>
        }
      >
        <Select
          label="What the firewall does"
          value={mode}
          disabled={why !== undefined}
          choices={modes}
          onChange={(event) => setMode(event.target.value as typeof mode)}
        />
        <ol className="rule-list" aria-label="Rules in their order">
          <Fixed list={list} place="before" />
          {rules.map((rule, at) => (
            <li key={rule.key}>
              <Tag>{rule.id > 0 ? `Rule ${rule.id}` : 'New'}</Tag> <Foreign text={ruleSentence(rule)} />
              {rule.note && (
                <div className="small muted">
                  <Foreign text={rule.note} />
                </div>
              )}
              <span className="row">
                <Button
                  look="plain"
                  why={why ?? (at === 0 ? 'It is the first' : undefined)}
                  aria-label={`Move up: ${ruleSentence(rule)}`}
                  onClick={() => setRules(moved(rules, at, -1))}
                >
                  Up
                </Button>
                <Button
                  look="plain"
                  why={why ?? (at === rules.length - 1 ? 'It is the last' : undefined)}
                  aria-label={`Move down: ${ruleSentence(rule)}`}
                  onClick={() => setRules(moved(rules, at, 1))}
                >
                  Down
                </Button>
                <Button
                  look="plain"
                  why={why}
                  aria-label={`Change: ${ruleSentence(rule)}`}
                  onClick={() => setEditing(rule)}
                >
                  Change…
                </Button>
                <Button
                  look="plain"
                  why={why}
                  aria-label={`Remove: ${ruleSentence(rule)}`}
                  onClick={() => setRules(rules.filter((each) => each !== rule))}
                >
                  Remove
                </Button>
              </span>
            </li>
          ))}
          <Fixed list={list} place="after" />
        </ol>
        {rules.length === 0 && <Beginning why={why} onTake={(taken) => setRules(taken)} />}
        {put.error && !conflict && put.error.status !== 412 && <ErrorBox problem={put.error} />}
        {conflict && (
          <Stale
            differences={differencesOf(conflict, (name) => mine.get(name) ?? '')}
            onTheirs={props.onAgain}
            onMine={() => save(conflict.etag)}
          />
        )}
        <div className="actions">
          <Button
            look="primary"
            why={why ?? (put.isPending ? 'Being saved' : isChanged ? undefined : 'Nothing was changed')}
            onClick={() => save(etag)}
          >
            Save the rules
          </Button>
        </div>
      </Card>
      <RuleTrial rules={body.rules} />
      {editing && (
        <RuleDialog {...(editing !== 'new' && { rule: editing })} onKeep={keep} onClose={() => setEditing(undefined)} />
      )}
    </>
  )
}

/** What is decided elsewhere, where it comes in. */
function Fixed({ list, place }: { list: RuleListAnswer; place: 'before' | 'after' }) {
  return list.fixed
    .filter((each) => each.place === place)
    .map((each) => (
      <li key={each.sentence} className="muted">
        {each.sentence}
      </li>
    ))
}

function Beginning({ why, onTake }: { why: string | undefined; onTake: (rules: DraftRule[]) => void }) {
  const { data } = useAsk('getRecommendedFirewallRules')
  if (!data) return null
  return (
    <p>
      There are no rules of your own yet.{' '}
      <Button why={why} onClick={() => onTake(data.rules.map(({ id: _, ...rule }) => draftOf(rule)))}>
        Begin with the recommended ones
      </Button>
    </p>
  )
}

function fieldsOf(mode: string, rules: readonly DraftRule[]): Current['fields'] {
  return [
    { name: 'mode', label: 'What it does', value: modes.find(({ value }) => value === mode)?.label ?? mode },
    { name: 'rules', label: 'Rules', value: rules.map(ruleSentence).join(' ') },
  ]
}
