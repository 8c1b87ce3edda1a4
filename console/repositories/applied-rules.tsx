import { useAsk } from '../api/ask.ts'
import { firstOf, pathPart } from '../app/address/address.ts'
import { usePlace } from '../app/address/location.ts'
import { usePathTo } from '../app/deployment.ts'
import { SearchField } from '../ui/forms/search-field.tsx'
import { Link } from '../ui/link.tsx'
import { Table } from '../ui/lists/table.tsx'
import { Card } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'

const kinds = {
  PRODUCT_TYPE_SAST: 'Code',
  PRODUCT_TYPE_SECRETS: 'Secrets',
  RULEBOARD_TYPE_SAST: 'Code',
  RULEBOARD_TYPE_SECRETS: 'Secrets',
} as const

/** Which policies and ruleboards apply here, and why; for a rule that is typed in, what happens to its findings. */
export function AppliedRulesCard({ repositoryId }: { repositoryId: number }) {
  const to = usePathTo()
  const { pairs } = usePlace()
  const rule = firstOf(pairs, 'rule') ?? ''
  const asked = useAsk('getAppliedRules', { params: { repositoryId }, query: rule ? { rule } : {} })
  return (
    <Card title="What applies here, and why">
      <SearchField label="Which mode has this rule?" name="rule" pairs={pairs} />
      <Part of={asked}>
        {({ policies, ruleboards }) => (
          <Table
            label="Policies and ruleboards of this repository"
            rows={[
              ...policies.map((each) => ({
                key: `policy ${each.policyId}`,
                what: `Policy, ${kinds[each.productType]}`,
                name: each.name,
                path: `policies/${each.policyId}`,
                why: each.why,
                effect: each.mode && `${each.mode}, by ${each.rule ?? 'no pattern'}`,
              })),
              ...ruleboards.map((each) => ({
                key: `board ${each.slug}`,
                what: `Ruleboard, ${kinds[each.type]}`,
                name: each.name,
                path: `ruleboards/${pathPart(each.slug)}`,
                why: each.why,
                effect: '',
              })),
            ]}
            keyOf={(row) => row.key}
            columns={[
              { label: 'What', cell: (row) => row.what },
              {
                label: 'Name',
                cell: (row) => (
                  <Link to={to(row.path)}>
                    <Foreign text={row.name} />
                  </Link>
                ),
              },
              { label: 'Why', cell: (row) => row.why },
              ...(rule
                ? [{ label: 'This rule', cell: (row: { effect: string }) => <Foreign text={row.effect} mono /> }]
                : []),
            ]}
          />
        )}
      </Part>
    </Card>
  )
}
