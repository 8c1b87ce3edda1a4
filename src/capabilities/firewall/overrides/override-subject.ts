import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { NewOverride } from '../contract.ts'
import { fewestCharacters, readNamePattern } from '../patterns/name-pattern.ts'
import { readVersionPattern } from '../patterns/version-pattern.ts'

/** What an override is about, in its stored form. What is not understood is refused: it would look like a rule and be none. */
export function overrideSubject({ ecosystem, name: sent, version: sentVersion = '', effect }: NewOverride) {
  const read = readNamePattern(ecosystem, sent)
  if ('problem' in read) throw impossible('/name', read.problem)
  const { name } = read
  if (effect === 'allow' && name.endsWith('*') && name.length <= fewestCharacters) {
    throw impossible(
      '/name',
      `must have at least ${fewestCharacters} characters before the star to allow what it names`,
    )
  }
  const version = readVersionPattern(ecosystem, sentVersion)
  if ('problem' in version) throw impossible('/version', version.problem)
  return { name, version: version.text }
}

/** The packages that the age gate lets pass, in their stored form. */
export function exceptionNames(ecosystem: EcosystemId, sent: readonly string[]): string[] {
  return sent.map((each, at) => {
    const read = readNamePattern(ecosystem, each)
    if ('problem' in read) throw impossible(`/ageExceptions/${at}`, read.problem)
    return read.name
  })
}

export function impossible(pointer: string, detail: string): Fault {
  return new Fault('unprocessable', `${pointer.split('/')[1]} ${detail}.`, { errors: [{ pointer, detail }] })
}
