import type { VerdictRule } from '../verdicts/verdict.ts'
import { mayBeLifted } from './lift-refusal.ts'

type Refused = { deploymentId: number; ecosystem: string; name: string; version: string }

/** Where whoever is refused sees why and asks for an exception. */
export function refusalLink(publicUrl: string, { deploymentId, ecosystem, name, version }: Refused): string {
  // What has no meaning in a query stays as it is: people read it in a terminal.
  const subject = encodeURIComponent(`${name}@${version}`).replace(/%(40|2F|3A)/g, decodeURIComponent)
  return `${publicUrl}/refused?deployment=${deploymentId}&ecosystem=${ecosystem}&package=${subject}`
}

/** The link first: clients print little of a long text. */
export function adviceOf(publicUrl: string, contact: string, refused: Refused & { rule: VerdictRule }): string {
  const what = mayBeLifted(refused.rule) ? 'Why, and to ask for an exception' : 'Why'
  const link = `${what}: ${refusalLink(publicUrl, refused)}`
  return contact ? `${link} ${contact}` : link
}
