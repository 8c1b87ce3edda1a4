import { useState } from 'react'
import type { Automation } from '../../src/capabilities/automations/automation.ts'
import { useChange, useFresh, useTagged } from '../api/ask.ts'
import { askBeforeLeaving, go } from '../app/address/location.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Confirm } from '../ui/overlays/confirm.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { Page, PageHead, Tabs } from '../ui/page.tsx'
import { Empty, Part } from '../ui/states.tsx'
import { Builder } from './builder.tsx'
import { FireCard } from './fire.tsx'
import { Sentence } from './page.tsx'
import { Runs } from './runs.tsx'
import { Trial } from './trial.tsx'
import { draftOf, emptyDraft } from './words.ts'

export default function AutomationPage({ params }: { params: Record<string, string> }) {
  return params.id === 'new' ? <New /> : <One id={Number(params.id)} tab={params.tab ?? 'rule'} />
}

function New() {
  const to = usePathTo()
  const write = useMay('automations:write')
  return (
    <Page>
      <PageHead
        title="New automation"
        back={{ to: to('automations'), label: 'Automations' }}
        about="What it would have done to past scans is shown while you build it."
      />
      {write.may ? (
        <Builder initial={emptyDraft} />
      ) : (
        <Empty title="Not visible to you">
          <p>{write.why}</p>
        </Empty>
      )}
    </Page>
  )
}

function One({ id, tab }: { id: number; tab: string }) {
  const to = usePathTo()
  const asked = useTagged('getAutomation', { params: { automationId: id } })
  const write = useMay('automations:write')
  const [deleting, setDeleting] = useState(false)
  const automation = asked.data?.data.automation
  const tabs = [
    ['rule', 'Rule'],
    ['trial', 'Trial'],
    ['runs', 'Runs'],
  ] as const
  return (
    <Page>
      <PageHead
        title={automation?.name ?? 'Automation'}
        back={{ to: to('automations'), label: 'Automations' }}
        about={automation && <Sentence automation={automation} />}
      >
        {automation && (
          <Button look="danger" why={write.why} onClick={() => setDeleting(true)}>
            Delete…
          </Button>
        )}
      </PageHead>
      <Tabs
        label="Automation"
        tabs={tabs.map(([name, label]) => ({
          to: to(`automations/${id}${name === 'rule' ? '' : `/${name}`}`),
          label,
          current: tab === name,
        }))}
      />
      <Part of={asked} lines={6}>
        {({ data, etag }) => (
          <>
            {tab === 'trial' && <Trial automation={data.automation} />}
            {tab === 'runs' && <Runs automationId={id} />}
            {tab !== 'trial' && tab !== 'runs' && (
              <>
                <Builder
                  key={id}
                  initial={draftOf(data.automation)}
                  stored={{ id, etag }}
                  why={write.why}
                  onReload={async () => {
                    const { data: now } = await asked.refetch()
                    return now && { automation: now.data.automation, etag: now.etag }
                  }}
                />
                {data.automation.triggerSource === 'TRIGGER_SOURCE_MANUAL' && <FireCard automation={data.automation} />}
              </>
            )}
            {deleting && <DeleteDialog automation={data.automation} etag={etag} onClose={() => setDeleting(false)} />}
          </>
        )}
      </Part>
    </Page>
  )
}

const fieldsOf = ({ name, active }: Automation) => [
  { name: 'name', label: 'Name', value: name },
  { name: 'enabled', label: 'Switched on', value: active ? 'yes' : 'no' },
]

type DeleteProps = { automation: Automation; etag: string | undefined; onClose: () => void }

function DeleteDialog({ automation, etag, onClose }: DeleteProps) {
  const to = usePathTo()
  const remove = useChange('deleteAutomation', ['listAutomations'])
  const fresh = useFresh('getAutomation')
  const params = { automationId: Number(automation.id) }
  return (
    <Confirm
      title={`Delete ${automation.name}`}
      action={`Delete ${automation.name}`}
      onClose={onClose}
      versions={{
        seen: { etag, fields: fieldsOf(automation) },
        current: async () => {
          const { data, etag: now } = await fresh({ params })
          return { etag: now, fields: fieldsOf(data.automation) }
        },
      }}
      run={async (ifMatch) => {
        await remove.mutateAsync({ params, ifMatch })
        say(`${automation.name} is deleted.`, 'no undo')
        askBeforeLeaving(undefined)
        go(to('automations'))
      }}
    >
      <p>
        Its secrets and its history go with it, and what it has not done yet is not done. To pause it, switch it off.
      </p>
    </Confirm>
  )
}
