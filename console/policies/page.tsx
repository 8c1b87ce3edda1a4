import { useState } from 'react'
import type { Policy, ProductType } from '../../src/capabilities/policies/contract.ts'
import { useAsk, useChange } from '../api/ask.ts'
import { go } from '../app/address/location.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { Button } from '../ui/button.tsx'
import { Input, Select } from '../ui/forms/field.tsx'
import { FormDialog } from '../ui/forms/form-dialog.tsx'
import { Link } from '../ui/link.tsx'
import { Table } from '../ui/lists/table.tsx'
import { say, sayFailure } from '../ui/overlays/toasts.tsx'
import { Card, Page, PageHead } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { Tag } from '../ui/text/marks.tsx'
import { Deadlines } from './deadlines.tsx'
import { PolicyTabs } from './tabs.tsx'

export const productNames: Record<ProductType, string> = {
  PRODUCT_TYPE_SAST: 'Findings in code',
  PRODUCT_TYPE_SECRETS: 'Secrets',
}
const products = Object.keys(productNames) as ProductType[]

export default function PoliciesPage() {
  const to = usePathTo()
  const asked = useAsk('listPolicies')
  const write = useMay('policies:write')
  const [adding, setAdding] = useState(false)
  const update = useChange('updatePolicy', ['listPolicies', 'getPolicy'])
  const putInForce = (policy: Policy, instead: Policy | undefined, undone = false): void =>
    update.mutate(
      { params: { policyId: Number(policy.id) }, body: { isDefault: true } },
      {
        onSuccess: () =>
          say(
            `${policy.name} is in force.`,
            undone ? undefined : instead ? () => putInForce(instead, undefined, true) : 'no undo',
          ),
        onError: (problem) => sayFailure(`Not done: ${problem.message}`),
      },
    )
  return (
    <Page>
      <PageHead title="Policies" about="What findings of a rule do to a pull request: nothing, a comment, or a stop.">
        <Button look="primary" why={write.why} onClick={() => setAdding(true)}>
          New policy
        </Button>
      </PageHead>
      <PolicyTabs current="policies" />
      <Part of={asked}>
        {({ policies }) =>
          products.map((product) => {
            const rows = policies.filter((policy) => policy.productType === product)
            const inForce = rows.find((policy) => policy.isDefault)
            return (
              <Card key={product} title={productNames[product]}>
                <Table
                  label={productNames[product]}
                  even
                  rows={rows}
                  keyOf={(policy) => policy.id}
                  columns={[
                    {
                      label: 'Policy',
                      cell: (policy) => (
                        <Link to={to(`policies/${policy.id}`)}>
                          <Foreign text={policy.name} />
                        </Link>
                      ),
                    },
                    {
                      label: 'State',
                      cell: (policy) =>
                        policy.isDefault ? <Tag tone="ok">in force</Tag> : <span className="muted">not in force</span>,
                    },
                    {
                      label: 'Actions',
                      quiet: true,
                      end: true,
                      cell: (policy) =>
                        !policy.isDefault && (
                          <Button
                            why={write.why}
                            aria-label={`Put in force: ${policy.name}`}
                            onClick={() => putInForce(policy, inForce)}
                          >
                            Put in force
                          </Button>
                        ),
                    },
                  ]}
                />
              </Card>
            )
          })
        }
      </Part>
      <Deadlines />
      {adding && <NewPolicyDialog onClose={() => setAdding(false)} />}
    </Page>
  )
}

function NewPolicyDialog({ onClose }: { onClose: () => void }) {
  const to = usePathTo()
  const create = useChange('createPolicy', ['listPolicies'])
  return (
    <FormDialog
      title="New policy"
      action="Create"
      onClose={onClose}
      run={async (form) => {
        const productType = form.text('productType') as ProductType
        const { policy } = await create.mutateAsync({ body: { name: form.text('name'), productType } })
        say('Created. It is not in force yet.', 'no undo')
        go(to(`policies/${policy.id}`))
      }}
    >
      {(about) => (
        <>
          <Input label="Name" name="name" required maxLength={200} wrong={about('/name')} autoFocus />
          <Select
            label="It is about"
            name="productType"
            choices={products.map((value) => ({ value, label: productNames[value] }))}
            hint="One policy is in force for each kind of findings."
          />
        </>
      )}
    </FormDialog>
  )
}
