import { useState } from 'react'
import type { FindingDeadlines } from '../../src/capabilities/findings/deadlines/contract.ts'
import { useFresh, useTagged, useTaggedChange } from '../api/ask.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Input } from '../ui/forms/field.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { Link } from '../ui/link.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { Card } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { Severity } from '../ui/text/marks.tsx'
import { plural } from '../ui/text/words.ts'

const severities = ['critical', 'high', 'medium', 'low', 'info'] as const

/** How long findings may stand, and the way to those that stand longer. */
export function Deadlines() {
  const to = usePathTo()
  const asked = useTagged('getFindingDeadlines')
  const write = useMay('policies:write')
  const [changing, setChanging] = useState(false)
  return (
    <Card
      title="How long findings may stand"
      aside={
        <Button why={write.why} onClick={() => setChanging(true)}>
          Change…
        </Button>
      }
    >
      <Part of={asked}>
        {({ data, etag }) => (
          <>
            <dl className="facts">
              {severities.map((severity) => (
                <div key={severity} className="fact-pair">
                  <dt>
                    <Severity level={`SEVERITY_${severity.toUpperCase()}`} />
                  </dt>
                  <dd>{lasting(data[severity])}</dd>
                </div>
              ))}
            </dl>
            <p className="small muted">
              Counted from when a finding was raised on a branch.{' '}
              <Link to={to('findings?overdue=yes')}>Findings that are overdue</Link>
            </p>
            {changing && <DeadlineDialog saved={data} etag={etag} onClose={() => setChanging(false)} />}
          </>
        )}
      </Part>
    </Card>
  )
}

function lasting(days: number | null): string {
  return days === null ? 'no limit' : plural(days, 'day')
}

type DialogProps = { saved: FindingDeadlines; etag: string | undefined; onClose: () => void }

/** What it puts back is what it began with, too. */
function DeadlineDialog({ onClose, ...props }: DialogProps) {
  const [{ saved, etag }] = useState(props)
  const replace = useTaggedChange('replaceFindingDeadlines', [
    'getFindingDeadlines',
    'searchFindings',
    'countFindings',
    'getFinding',
    'getAttention',
  ])
  const fresh = useFresh('getFindingDeadlines')
  return (
    <FormDialog
      title="How long findings may stand"
      action="Save"
      onClose={onClose}
      etag={etag}
      run={async (form, ifMatch) => {
        const days = severities.map((severity) => [severity, Number(form.text(severity)) || null])
        const made = await replace.mutateAsync({ body: Object.fromEntries(days) as FindingDeadlines, ifMatch })
        say('Saved.', () => replace.mutateAsync({ body: saved, ifMatch: made.etag }))
      }}
      current={async () => {
        const now = await fresh({})
        return {
          fields: severities.map((name) => ({ name, label: labelOf(name), value: String(now.data[name] ?? '') })),
          etag: now.etag,
        }
      }}
    >
      {(about) => (
        <>
          <p className="muted">In days. Without a number there is no limit.</p>
          {severities.map((severity) => (
            <Input
              key={severity}
              label={labelOf(severity)}
              name={severity}
              type="number"
              min={1}
              max={3_650}
              defaultValue={saved[severity] ?? ''}
              wrong={about(`/${severity}`)}
            />
          ))}
        </>
      )}
    </FormDialog>
  )
}

function labelOf(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}
