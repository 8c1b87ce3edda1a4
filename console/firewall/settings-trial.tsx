import { useDeferredValue } from 'react'
import { useAsk } from '../api/ask.ts'
import type { Answer, Body } from '../api/contracts.ts'
import { Foreign } from '../ui/text/foreign.tsx'
import { Whose } from './trial-outcome.tsx'
import { TrialShell } from './trial-shell.tsx'
import { trialSentences } from './words.ts'

/** What the settings as they are on screen would make of what clients asked for in the last 30 days. */
export function SettingsTrial({ draft }: { draft: Body<'putFirewallSettings'> }) {
  const settings = useDeferredValue(draft)
  const asked = useAsk('tryFirewallSettings', { body: { settings } })
  return (
    <TrialShell
      asked={asked}
      sentencesOf={trialSentences}
      label="Versions treated otherwise"
      one="version"
      keyOf={(row: Answer<'tryFirewallSettings'>['changes'][number]) => `${row.name}@${row.version}`}
      columns={[
        { label: 'Version', cell: (row) => <Foreign text={`${row.name}@${row.version}`} mono /> },
        { label: 'Then', cell: (row) => (row.refused ? 'refused' : 'let through') },
        { label: 'Why', cell: (row) => <Foreign text={row.reason} clamp={160} /> },
        { label: 'Who', cell: (row) => <Whose {...row} /> },
      ]}
    />
  )
}
