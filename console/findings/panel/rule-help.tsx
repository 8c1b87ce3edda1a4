import type { FindingDetail } from '../../../src/capabilities/findings/finding.ts'
import { ForeignLink } from '../../ui/text/foreign.tsx'
import { Prose } from '../../ui/text/prose.tsx'

/** What the tool says about the rule: what it is about, how to mend it, where to read on. */
export function RuleHelp({ rule, said }: { rule: FindingDetail['rule']; said: string }) {
  const texts = [...new Set([rule.description, rule.help])].filter((text) => text !== '' && !said.includes(text))
  if (texts.length === 0 && rule.helpUri === '') return null
  return (
    <section>
      <h3>About the rule</h3>
      {texts.map((text) => (
        <Prose key={text} text={text} />
      ))}
      {rule.helpUri && <ForeignLink address={rule.helpUri} label="More about it" />}
    </section>
  )
}
