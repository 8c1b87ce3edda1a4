import { useState } from 'react'
import type { Policy, PolicyRule } from '../../src/capabilities/policies/contract.ts'
import { useChange, useFresh, useTagged, useTaggedChange } from '../api/ask.ts'
import { askBeforeLeaving, go } from '../app/address/location.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Input } from '../ui/forms/field.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { Confirm } from '../ui/overlays/confirm.tsx'
import { say } from '../ui/overlays/toasts.tsx'
import { Page, PageHead } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { Tag } from '../ui/text/marks.tsx'
import { productNames } from './page.tsx'
import { RulesEditor } from './rules-editor.tsx'

const touched = ['listPolicies', 'getPolicy'] as const

export default function PolicyPage({ params }: { params: Record<string, string> }) {
  const to = usePathTo()
  const policyId = Number(params.id)
  const asked = useTagged('getPolicy', { params: { policyId } })
  const rules = useTagged('listPolicyRules', { params: { policyId } })
  const write = useMay('policies:write')
  const [open, setOpen] = useState<'rename' | 'delete'>()
  const policy = asked.data?.data.policy
  const close = () => setOpen(undefined)
  return (
    <Page>
      <PageHead
        title={policy?.name ?? 'Policy'}
        back={{ to: to('policies'), label: 'Policies' }}
        about={
          policy && (
            <span className="row">
              {productNames[policy.productType]}
              {policy.isDefault ? <Tag tone="ok">in force</Tag> : <Tag>not in force</Tag>}
            </span>
          )
        }
      >
        {policy && (
          <>
            <Button why={write.why} onClick={() => setOpen('rename')}>
              Rename
            </Button>
            <Button
              look="danger"
              why={write.why ?? (policy.isDefault ? 'It is in force. Put another one in force first.' : undefined)}
              onClick={() => setOpen('delete')}
            >
              Delete…
            </Button>
          </>
        )}
      </PageHead>
      <Part of={asked}>
        {({ data, etag }) => (
          <>
            <Part of={rules} lines={6}>
              {(answer) => (
                <RulesEditor
                  policy={data.policy}
                  saved={answer.data.rules as PolicyRule[]}
                  etag={answer.etag}
                  why={write.why}
                  onReload={async () => {
                    const { data: now } = await rules.refetch()
                    return now && { rules: now.data.rules as PolicyRule[], etag: now.etag }
                  }}
                />
              )}
            </Part>
            {open === 'rename' && <RenameDialog policy={data.policy} etag={etag} onClose={close} />}
            {open === 'delete' && <DeleteDialog policy={data.policy} etag={etag} onClose={close} />}
          </>
        )}
      </Part>
    </Page>
  )
}

type DialogProps = { policy: Policy; etag: string | undefined; onClose: () => void }

function RenameDialog({ policy, etag, onClose }: DialogProps) {
  const update = useTaggedChange('updatePolicy', touched)
  const fresh = useFresh('getPolicy')
  const rename = (name: string, ifMatch?: string) =>
    update.mutateAsync({ params: { policyId: Number(policy.id) }, body: { name }, ifMatch })
  return (
    <FormDialog
      title="Rename the policy"
      action="Rename"
      onClose={onClose}
      current={async () => {
        const { data, etag: now } = await fresh({ params: { policyId: Number(policy.id) } })
        return { etag: now, fields: [{ name: 'name', label: 'Name', value: data.policy.name }] }
      }}
      etag={etag}
      run={async (form, ifMatch) => {
        const { etag: made } = await rename(form.text('name'), ifMatch)
        say('Renamed.', () =>
          rename(policy.name, made).then(() => say(`Undone: the policy is named ${policy.name} again.`)),
        )
      }}
    >
      {(about) => (
        <Input
          label="Name"
          name="name"
          required
          maxLength={200}
          defaultValue={policy.name}
          wrong={about('/name')}
          autoFocus
        />
      )}
    </FormDialog>
  )
}

function DeleteDialog({ policy, etag, onClose }: DialogProps) {
  const to = usePathTo()
  const remove = useChange('deletePolicy', ['listPolicies'])
  const fresh = useFresh('getPolicy')
  const params = { policyId: Number(policy.id) }
  const fieldsOf = ({ name, isDefault }: Policy) => [
    { name: 'name', label: 'Name', value: name },
    { name: 'force', label: 'In force', value: isDefault ? 'yes' : 'no' },
  ]
  return (
    <Confirm
      title={`Delete ${policy.name}`}
      action={`Delete ${policy.name}`}
      onClose={onClose}
      versions={{
        seen: { etag, fields: fieldsOf(policy) },
        current: async () => {
          const { data, etag: now } = await fresh({ params })
          return { etag: now, fields: fieldsOf(data.policy) }
        },
      }}
      run={async (ifMatch) => {
        await remove.mutateAsync({ params, ifMatch })
        say(`${policy.name} is deleted.`, 'no undo')
        askBeforeLeaving(undefined)
        go(to('policies'))
      }}
    >
      <p>Its rules go with it. It is not in force, so no pull request is decided otherwise.</p>
    </Confirm>
  )
}
