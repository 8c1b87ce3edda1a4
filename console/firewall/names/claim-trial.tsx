import { useAsk } from '../../api/ask.ts'
import type { Answer, Body } from '../../api/contracts.ts'
import { Foreign } from '../../ui/text/foreign.tsx'
import { Whose } from '../trial-outcome.tsx'
import { TrialShell } from '../trial-shell.tsx'
import { claimTrialSentences } from './claim-words.ts'

type Change = Answer<'tryPackageClaims'>['changes'][number]

/** For which of the names that clients asked for somebody else would be asked. Nothing is saved by trying. */
export function ClaimTrial({ body }: { body: Body<'tryPackageClaims'> }) {
  const asked = useAsk('tryPackageClaims', { body }, { keep: false })
  return (
    <TrialShell
      asked={asked}
      sentencesOf={claimTrialSentences}
      label="Names asked of somebody else"
      one="name"
      keyOf={(row: Change) => `${row.ecosystem} ${row.name}`}
      columns={[
        { label: 'Name', cell: (row) => <Foreign text={row.name} mono /> },
        { label: 'Then', cell: (row) => <Then {...row} /> },
        { label: 'Who asked', cell: (row) => <Whose {...row} /> },
      ]}
    />
  )
}

function Then({ askedOf, seenThere }: Change) {
  if (askedOf === 'nobody') return 'refused'
  if (askedOf === 'unclaimed') return 'asked of anybody'
  return seenThere ? 'asked of your registry alone' : 'asked of your registry alone, which was not seen to have it'
}
