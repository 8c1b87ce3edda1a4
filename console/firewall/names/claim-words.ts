import { plural } from '../../ui/text/words.ts'

type Trial = {
  names: number
  truncated: boolean
  refusedBefore: number
  refusedAfter: number
  changes: readonly { askedOf: 'registry' | 'nobody' | 'unclaimed'; seenThere: boolean }[]
}

/** What other claims would have made of the names that clients asked for, in sentences. */
export function claimTrialSentences({ names, truncated, refusedBefore, refusedAfter, changes }: Trial): string[] {
  if (names === 0) return ['No client asked for a package in the last 30 days.']
  const asked = `the ${truncated ? 'latest ' : ''}${plural(names, 'name')} that clients asked for in the last 30 days`
  if (changes.length === 0) return [`Of ${asked}, none is touched.`]
  const said = [`Of ${asked}, ${changes.length.toLocaleString('en')} would be asked of somebody else.`]
  if (refusedAfter !== refusedBefore)
    said.push(`${plural(refusedAfter, 'name')} would be refused instead of ${refusedBefore.toLocaleString('en')}.`)
  const unseen = changes.filter(({ askedOf, seenThere }) => askedOf === 'registry' && !seenThere).length
  if (unseen > 0)
    said.push(
      `Your registry was not seen to have ${unseen.toLocaleString('en')} of them: clients may no longer get these.`,
    )
  return said
}
