import { type FormEvent, useState } from 'react'
import type { Automation } from '../../src/capabilities/automations/automation.ts'
import type { TriggerSource } from '../../src/domain/trigger-event.ts'
import { useChange, useTaggedChange } from '../api/ask.ts'
import { Problem } from '../api/problem.ts'
import { askBeforeLeaving, go, useAskBeforeLeaving } from '../app/address/location.ts'
import { usePathTo } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Check, Input, Textarea } from '../ui/forms/field.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { Card } from '../ui/page.tsx'
import { type Difference, Stale } from '../ui/stale.tsx'
import { ErrorBox } from '../ui/states.tsx'
import { ActionsEditor } from './actions.tsx'
import { ConditionsEditor } from './conditions.tsx'
import { DraftTrial } from './trial.tsx'
import { bodyOf, type Draft, draftOf, sentenceOf, triggers } from './words.ts'

type Loaded = { automation: Automation; etag: string | undefined }
type Props = {
  initial: Draft
  stored?: { id: number; etag: string | undefined }
  why?: string | undefined
  onReload?: () => Promise<Loaded | undefined>
}

/** An automation as a sentence that is put together: when … and … then …. */
export function Builder({ initial, stored, why, onReload }: Props) {
  const to = usePathTo()
  const [draft, setDraft] = useState(initial)
  const [base, setBase] = useState({ draft: initial, etag: stored?.etag })
  const [stale, setStale] = useState<Loaded>()
  const create = useChange('createAutomation', ['listAutomations'])
  const update = useTaggedChange('updateAutomation', ['listAutomations', 'getAutomation'])
  const problem = stored ? update.error : create.error
  const set = (change: Partial<Draft>) => setDraft({ ...draft, ...change })
  const changed = JSON.stringify(draft) !== JSON.stringify(base.draft)
  useAskBeforeLeaving(changed && !why ? 'The automation is not saved. Leave all the same?' : undefined)
  const take = (automation: Automation, etag: string | undefined) => {
    setBase({ draft: draftOf(automation), etag })
    setDraft(draftOf(automation))
    setStale(undefined)
  }
  const save = async (ifMatch = base.etag) => {
    try {
      if (!stored) {
        const { automation } = await create.mutateAsync({ body: bodyOf(draft) })
        askBeforeLeaving(undefined)
        say(
          draft.active ? 'Saved and switched on.' : 'Saved, switched off. Here is what it would have done.',
          'no undo',
        )
        go(to(`automations/${automation.id}${draft.active ? '' : '/trial'}`))
        return
      }
      const params = { automationId: stored.id }
      const before = bodyOf(base.draft)
      const { data, etag: made } = await update.mutateAsync({ params, body: bodyOf(draft), ifMatch })
      const now = await onReload?.()
      take(now?.automation ?? data.automation, now?.etag ?? made)
      // An action that was taken out took its id and its secrets along, so only the rest can be put back as it was.
      const { actions: _, ...rest } = before
      const sameActions = JSON.stringify(base.draft.actions) === JSON.stringify(draft.actions)
      say('Saved.', sameActions ? () => putBack(params, rest, made) : 'no undo')
    } catch (error) {
      if (error instanceof Problem && error.status === 412) setStale(await onReload?.())
    }
  }
  const putBack = async (
    params: { automationId: number },
    body: Omit<ReturnType<typeof bodyOf>, 'actions'>,
    ifMatch: string | undefined,
  ) => {
    const { data, etag } = await update.mutateAsync({ params, body, ifMatch })
    const now = await onReload?.()
    take(now?.automation ?? data.automation, now?.etag ?? etag)
    say('Undone: the automation is as it was.')
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void save()
  }
  const about = (pointer: string) => problem?.errors.find((each) => each.pointer.includes(pointer))?.detail
  const busy = create.isPending || update.isPending
  return (
    <form className="form" onSubmit={submit}>
      <fieldset className="form" disabled={why !== undefined} title={why}>
        <legend className="visually-hidden">The automation</legend>
        <Card title="The sentence">
          <div className="sentence">
            <div className="clause">
              <span className="word">When</span>
              <div className="part">
                <select
                  className="input"
                  aria-label="When"
                  value={draft.triggerSource}
                  onChange={(event) => set({ triggerSource: event.target.value as TriggerSource })}
                >
                  {(Object.keys(triggers) as TriggerSource[]).map((source) => (
                    <option key={source} value={source}>
                      {triggers[source]}
                    </option>
                  ))}
                </select>
              </div>
            </div>
            <div className="clause">
              <span className="word">and</span>
              <ConditionsEditor filters={draft.filters} onChange={(filters) => set({ filters })} about={about} />
            </div>
            <div className="clause">
              <span className="word">then</span>
              <ActionsEditor
                actions={draft.actions}
                blockable={draft.triggerSource === 'TRIGGER_SOURCE_SCAN'}
                onChange={(actions) => set({ actions })}
                about={about}
              />
            </div>
          </div>
        </Card>
        <Card title="Name and purpose">
          <div className="form">
            <Input
              label="Name"
              required
              maxLength={200}
              value={draft.name}
              wrong={about('/name')}
              onChange={(event) => set({ name: event.target.value })}
            />
            <Textarea
              label="What it is for (optional)"
              maxLength={2_000}
              rows={2}
              value={draft.description}
              wrong={about('/description')}
              onChange={(event) => set({ description: event.target.value })}
            />
            <Check
              label="Switched on: it does this from now on"
              checked={draft.active}
              onChange={(event) => set({ active: event.target.checked })}
            />
          </div>
        </Card>
      </fieldset>
      {!why && draft.triggerSource === 'TRIGGER_SOURCE_SCAN' && <DraftTrial draft={draft} />}
      {stale && (
        <Stale
          differences={differences(draft, draftOf(stale.automation))}
          onTheirs={() => take(stale.automation, stale.etag)}
          onMine={() => void save(stale.etag)}
        />
      )}
      {problem && problem.status !== 412 && <ErrorBox problem={problem} />}
      {!why && (
        <div className="row">
          <Button
            type="submit"
            look="primary"
            why={busy ? 'Being saved' : stored && !changed ? 'Nothing is changed.' : undefined}
          >
            {stored ? 'Save' : draft.active ? 'Save and switch on' : 'Save and try it'}
          </Button>
          {changed && <Button onClick={() => setDraft(base.draft)}>As it was</Button>}
        </div>
      )}
    </form>
  )
}

function differences(mine: Draft, theirs: Draft): Difference[] {
  const words = (draft: Draft) => ({
    Name: draft.name,
    Sentence: sentenceOf({ ...draft, actions: draft.actions }, String),
    'What it is for': draft.description,
    'Switched on': draft.active ? 'yes' : 'no',
  })
  const [a, b] = [words(mine), words(theirs)]
  return (Object.keys(a) as (keyof typeof a)[])
    .filter((name) => a[name] !== b[name])
    .map((name) => ({ name, mine: a[name], theirs: b[name] }))
}
