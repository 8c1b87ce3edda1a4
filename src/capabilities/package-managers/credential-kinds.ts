import type { FieldError } from '../../kernel/contract/fault.ts'
import type { EcosystemName, PackageManagerConfigForInsert } from './contract.ts'

export type CredentialKind = 'maven' | 'pypi' | 'npm' | 'codeArtifact'

const kinds: CredentialKind[] = ['maven', 'pypi', 'npm', 'codeArtifact']

/** The package formats that the managed cloud registry holds. */
const inCodeArtifact: readonly string[] = [
  'npm',
  'pypi',
  'maven',
  'nuget',
  'gem',
  'cargo',
  'swiftpm',
] satisfies EcosystemName[]

/** They sign in by a token or by a login as npm does, and no request has a field of their own for it. */
const signInLikeNpm: readonly string[] = ['npm', 'cargo', 'gomod'] satisfies EcosystemName[]

export function kindsFor(ecosystem: EcosystemName | ''): CredentialKind[] {
  return kinds.filter((kind) => {
    if (kind === 'codeArtifact') return inCodeArtifact.includes(ecosystem)
    return kind === 'npm' ? signInLikeNpm.includes(ecosystem) : kind === ecosystem
  })
}

/** The kinds of credentials in a request; more than one is a fault, but the first can already be sealed. */
export function kindsIn(sent: PackageManagerConfigForInsert): CredentialKind[] {
  return kinds.filter((kind) => sent[kind] !== undefined)
}

/** What is sealed: JSON, in the shape in which it was sent. */
export function plaintextOf(sent: PackageManagerConfigForInsert): string | undefined {
  const [kind] = kindsIn(sent)
  return kind && JSON.stringify({ [kind]: sent[kind] })
}

/** Whether what was sent can be used at all, whatever it is for. */
export function shapeProblems(sent: PackageManagerConfigForInsert, at: string): FieldError[] {
  const [, ...more] = kindsIn(sent)
  const errors = more.map((kind) => ({
    pointer: `${at}/${kind}`,
    detail: 'only one kind of credentials can be stored',
  }))
  const { npm } = sent
  if (npm && (npm.token === undefined) === (npm.basicAuth === undefined)) {
    const detail =
      npm.token === undefined ? 'must have a token or basicAuth' : 'must have a token or basicAuth, not both'
    errors.push({ pointer: `${at}/npm`, detail })
  }
  return errors
}
