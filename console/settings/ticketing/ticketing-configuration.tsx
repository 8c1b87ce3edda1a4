import { type FormEvent, useState } from 'react'
import type { AutomationStates, TicketingInstance } from '../../../src/capabilities/ticketing/contract.ts'
import { queryClient, refresh, useAsk, useChange, useFresh } from '../../api/ask.ts'
import { useAskBeforeLeaving } from '../../app/address/location.ts'
import { Button } from '../../ui/button.tsx'
import { useBegun } from '../../ui/forms/begun.ts'
import { Check, Input, Select } from '../../ui/forms/field.tsx'
import { say } from '../../ui/overlays/toasts.tsx'
import { Card } from '../../ui/page.tsx'
import { type Difference, Stale } from '../../ui/stale.tsx'
import { ErrorBox, Part } from '../../ui/states.tsx'
import { automated, configurationOf, fieldText, settable, type TicketingForm } from './ticketing-fields.ts'

function formOf(instance: TicketingInstance): TicketingForm {
  return {
    projectId: instance.projectId,
    issueTypeId: instance.issueTypeId,
    subtaskIssueTypeId: instance.subtaskIssueTypeId,
    transitionId: instance.fixedTransitionState?.trackerTransitionId ?? '',
    fields: Object.fromEntries(Object.entries(instance.fields).map(([id, value]) => [id, fieldText(value)])),
    automationStates: instance.automationStates,
  }
}

function differences(mine: TicketingForm, theirs: TicketingForm): Difference[] {
  const shown = (form: TicketingForm) => ({
    Project: form.projectId,
    'Issue type': form.issueTypeId,
    'Type of sub-tasks': form.subtaskIssueTypeId,
    'Transition when fixed': form.transitionId,
    Fields: JSON.stringify(form.fields),
    'Made by themselves': JSON.stringify(form.automationStates),
  })
  const [own, other] = [shown(mine), shown(theirs)]
  return (Object.keys(own) as (keyof typeof own)[])
    .filter((name) => own[name] !== other[name])
    .map((name) => ({ name, mine: own[name], theirs: other[name] }))
}

/** Project, then issue type, then fields and transition: each choice is asked from the tracker. */
export function TicketingConfiguration(props: { instance: TicketingInstance; etag: string | undefined }) {
  const { begun, isTyped, typed, settled } = useBegun(props)
  useAskBeforeLeaving(isTyped ? 'The changed configuration is not saved. Leave all the same?' : undefined)
  const { instance, etag } = begun
  // Nothing where nothing was changed: what is there is shown then.
  const [changed, setChanged] = useState<TicketingForm>()
  const form = changed ?? formOf(instance)
  const set = (change: Partial<TicketingForm>) => {
    typed()
    setChanged({ ...form, ...change })
  }
  const asItIs = () => {
    setChanged(undefined)
    setConflict(undefined)
    settled()
  }
  const params = { instanceId: instance.id }
  const query = {
    ...(form.projectId && { projectId: form.projectId }),
    ...(form.projectId && form.issueTypeId && { issueTypeId: form.issueTypeId }),
  }
  const choices = useAsk('getTicketingChoices', { params, query })
  const save = useChange('configureTicketing', ['listTicketingInstances', 'getTicketingInstance'])
  const fresh = useFresh('getTicketingInstance')
  const [conflict, setConflict] = useState<{ theirs: TicketingForm; etag: string | undefined }>()
  const put = (ifMatch: string | undefined) =>
    save.mutate(
      { params, body: configurationOf(form), ifMatch },
      {
        onSuccess: () => {
          asItIs()
          say('Saved. Check it to see whether the tracker agrees.', 'no undo')
        },
        onError: async (problem) => {
          if (problem.status !== 412) return
          const { data, etag: now } = await fresh({ params })
          const theirs = formOf(data.instance)
          // Another version in which all of this is as it was: the connection was changed meanwhile, say.
          if (differences(formOf(instance), theirs).length === 0) put(now)
          else setConflict({ theirs, etag: now })
        },
      },
    )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    put(etag)
  }
  const about = (pointer: string) => save.error?.about(pointer)
  return (
    <Card title="Where tickets go" aside="asked from the tracker each time">
      <Part of={choices}>
        {({ projects, issueTypes, fields, transitions }) => (
          <form className="form" onSubmit={submit}>
            <div className="pair">
              <Select
                label="Project"
                required
                value={form.projectId}
                wrong={about('/projectId')}
                onChange={(event) => set({ projectId: event.target.value, issueTypeId: '', subtaskIssueTypeId: '' })}
                choices={[
                  { value: '', label: 'Choose a project' },
                  ...projects.map((each) => ({ value: each.id, label: `${each.name} (${each.key})` })),
                ]}
              />
              <Select
                label="Issue type"
                required
                disabled={!form.projectId}
                value={form.issueTypeId}
                wrong={about('/issueTypeId')}
                onChange={(event) => set({ issueTypeId: event.target.value })}
                choices={[
                  { value: '', label: 'Choose an issue type' },
                  ...issueTypes.filter((each) => !each.isSubtask).map((each) => ({ value: each.id, label: each.name })),
                ]}
              />
              <Select
                label="Tickets below another"
                disabled={!form.projectId}
                value={form.subtaskIssueTypeId}
                wrong={about('/subtaskIssueTypeId')}
                onChange={(event) => set({ subtaskIssueTypeId: event.target.value })}
                choices={[
                  { value: '', label: 'None' },
                  ...issueTypes.filter((each) => each.isSubtask).map((each) => ({ value: each.id, label: each.name })),
                ]}
              />
              <Select
                label="When everything is fixed"
                disabled={!form.issueTypeId}
                value={form.transitionId}
                wrong={about('/trackerTransitionId')}
                onChange={(event) => set({ transitionId: event.target.value })}
                choices={[
                  { value: '', label: 'Do nothing' },
                  ...transitions.map((each) => ({ value: each.id, label: each.name })),
                ]}
              />
            </div>
            {settable(fields).length > 0 && (
              <fieldset className="stack">
                <legend className="legend">More fields of new tickets</legend>
                <div className="pair">
                  {settable(fields).map((field) => (
                    <Input
                      key={field.id}
                      label={field.isRequired ? `${field.name} (needed)` : field.name}
                      required={field.isRequired}
                      placeholder={field.id}
                      value={form.fields[field.id] ?? ''}
                      wrong={about(`/fields/${field.id}`)}
                      onChange={(event) => set({ fields: { ...form.fields, [field.id]: event.target.value } })}
                    />
                  ))}
                </div>
                <p className="muted small">Text, or JSON as the tracker takes it, for example {'{"name":"High"}'}.</p>
              </fieldset>
            )}
            <fieldset className="stack tight">
              <legend className="legend">Make a ticket by itself for new</legend>
              {(Object.keys(automated) as (keyof AutomationStates)[]).map((name) => (
                <Check
                  key={name}
                  label={automated[name]}
                  checked={form.automationStates[name]}
                  onChange={(event) =>
                    set({ automationStates: { ...form.automationStates, [name]: event.target.checked } })
                  }
                />
              ))}
            </fieldset>
            {conflict ? (
              <Stale
                differences={differences(form, conflict.theirs)}
                onMine={() => put(conflict.etag)}
                onTheirs={() => void refresh(queryClient, ['getTicketingInstance']).then(asItIs)}
              />
            ) : (
              save.error && <ErrorBox problem={save.error} />
            )}
            <div className="row">
              <Button type="submit" look="primary" why={save.isPending ? 'Being saved' : undefined}>
                Save
              </Button>
              <Button onClick={asItIs}>As it was</Button>
            </div>
          </form>
        )}
      </Part>
    </Card>
  )
}
