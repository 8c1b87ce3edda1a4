import type { PolicyRule } from '../../src/capabilities/policies/contract.ts'
import { useAsk } from '../api/ask.ts'
import { formatSearch } from '../app/address/address.ts'
import { useMay, usePathTo } from '../app/deployment.ts'
import { Link } from '../ui/link.tsx'
import { Table } from '../ui/lists/table.tsx'
import { Card } from '../ui/page.tsx'
import { Part } from '../ui/states.tsx'
import { Foreign } from '../ui/text/foreign.tsx'
import { plural } from '../ui/text/words.ts'

const days = 90

type Props = { policyId: number; isInForce: boolean; draft: readonly PolicyRule[] }

/** What the draft would have made of the pull requests of the last 90 days. */
export function Trial(props: Props) {
  const { may } = useMay('findings:read')
  return may ? <Shown {...props} /> : null
}

function Shown({ policyId, isInForce, draft }: Props) {
  const to = usePathTo()
  const asked = useAsk('tryPolicyRules', { params: { policyId }, body: { rules: [...draft], days } })
  const seen = asked.data
  return (
    <Card
      title={isInForce ? 'What this would change' : 'What this would change if it were in force'}
      aside={
        seen &&
        `${plural(seen.findings, 'finding')} in ${plural(seen.pullRequests, 'pull request')} of the last ${days} days`
      }
    >
      <Part of={asked}>
        {({ blockedBefore: before, blockedAfter: after, changes, since }) =>
          changes.length === 0 ? (
            <p className="muted">
              No finding of these pull requests would have been treated otherwise. As it is,{' '}
              {plural(before, 'pull request')} of these would have been blocked.
            </p>
          ) : (
            <>
              <p role="status">
                {before === after
                  ? `As many pull requests would have been blocked as before: ${after}.`
                  : `${plural(Math.abs(after - before), 'pull request')} ${after > before ? 'more' : 'fewer'} would have been blocked: ${after} instead of ${before}.`}
              </p>
              <Table
                label="What this would change"
                rows={changes}
                keyOf={(row) => row.rule}
                columns={[
                  {
                    label: 'Rule',
                    cell: (row) => (
                      <Link
                        to={to(
                          `findings${formatSearch([
                            ['rule', row.rule],
                            ['prs', 'only'],
                            ['state', 'any'],
                            ['raised', `${since.slice(0, 10)}..`],
                          ])}`,
                        )}
                      >
                        <Foreign text={row.rule || '(no rule)'} mono />
                      </Link>
                    ),
                  },
                  { label: 'Now', cell: (row) => row.from },
                  { label: 'Then', cell: (row) => <strong>{row.to}</strong> },
                  { label: 'Findings', end: true, cell: (row) => <span className="num">{row.findings}</span> },
                  { label: 'Pull requests', end: true, cell: (row) => <span className="num">{row.pullRequests}</span> },
                ]}
              />
            </>
          )
        }
      </Part>
    </Card>
  )
}
