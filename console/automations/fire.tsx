import { type FormEvent, useState } from 'react'
import type { Automation } from '../../src/capabilities/automations/automation.ts'
import { useChange } from '../api/ask.ts'
import { useMay } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Textarea } from '../ui/forms/field.tsx'
import { Card } from '../ui/page.tsx'
import { ErrorBox } from '../ui/states.tsx'
import { plural } from '../ui/text/words.ts'
import { Subjects } from './subjects.tsx'

const idsIn = (text: FormDataEntryValue | null) => String(text ?? '').match(/\d+/g) ?? []

/** By hand, on findings and issues by their numbers. */
export function FireCard({ automation }: { automation: Automation }) {
  const { why } = useMay('automations:fire')
  const fire = useChange('fireAutomation', ['listAutomationRuns'])
  const [none, setNone] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const findingIds = idsIn(form.get('findings'))
    const issueIds = idsIn(form.get('issues'))
    setNone(findingIds.length + issueIds.length === 0)
    if (findingIds.length + issueIds.length === 0) return
    fire.mutate({
      params: { automationId: Number(automation.id) },
      body: { ...(findingIds.length > 0 && { findingIds }), ...(issueIds.length > 0 && { issueIds }) },
    })
  }
  return (
    <Card title="Fire it by hand">
      <form className="form" onSubmit={submit}>
        <div className="pair">
          <Textarea label="Numbers of findings" name="findings" rows={2} placeholder="12, 13, 14" />
          <Textarea
            label="Numbers of issues"
            name="issues"
            rows={2}
            wrong={none ? 'Give the number of at least one finding or issue.' : undefined}
          />
        </div>
        {fire.error && <ErrorBox problem={fire.error} />}
        {fire.data && (
          <p role="status" className="banner ok">
            <span>
              {fire.data.subjects.length === 0 ? (
                'Its conditions hold for none of them.'
              ) : (
                <>
                  It acts on {plural(fire.data.subjects.length, 'thing')}:{' '}
                  <Subjects count={fire.data.subjects.length} subjects={fire.data.subjects} />
                </>
              )}
            </span>
          </p>
        )}
        <div className="row">
          <Button
            type="submit"
            why={why ?? (automation.active ? (fire.isPending ? 'In progress' : undefined) : 'It is switched off.')}
          >
            Fire {automation.name}
          </Button>
        </div>
      </form>
    </Card>
  )
}
