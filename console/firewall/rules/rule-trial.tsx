import { useState } from 'react'
import { useAsk } from '../../api/ask.ts'
import type { Body } from '../../api/contracts.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/page.tsx'
import { Part } from '../../ui/states.tsx'
import { TrialOutcome } from '../trial-outcome.tsx'

type Rules = Body<'tryFirewallRules'>['rules']

/** What the rules on screen would have made of what clients asked for. Asked on demand: registries may have to answer too. */
export function RuleTrial({ rules }: { rules: Rules }) {
  const [tried, setTried] = useState<Rules>()
  return (
    <Card
      title="What these rules would have done"
      aside={<Button onClick={() => setTried(rules)}>Try them on the last 30 days</Button>}
    >
      {tried ? (
        <Outcome rules={tried} isOld={JSON.stringify(tried) !== JSON.stringify(rules)} />
      ) : (
        <p className="muted">Nothing is saved by trying. Rules that only watch are tried as if they refused.</p>
      )}
    </Card>
  )
}

function Outcome({ rules, isOld }: { rules: Rules; isOld: boolean }) {
  const asked = useAsk('tryFirewallRules', { body: { rules } }, { keep: false })
  return (
    <Part of={asked} lines={4}>
      {(trial) => (
        <>
          {isOld && <p role="status">The rules were changed since: try them again.</p>}
          <TrialOutcome trial={trial} />
        </>
      )}
    </Part>
  )
}
