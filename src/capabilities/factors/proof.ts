import type { IdentityQueryable } from '../../kernel/database/database.ts'

/** What a session was opened with. 'external': a provider has looked at the second factor itself. */
export type Proof = 'password' | 'code' | 'recovery-code' | 'passkey' | 'external'

/** What was shown; `spend` uses it up in the transaction of what it opens, `afterwards` reports it. */
export type Step = { by: Proof; spend(tx: IdentityQueryable): Promise<void>; afterwards?(): Promise<void> }

/** What is needed besides the password, for whoever has set up a second factor. */
export type SecondStep = {
  /** Only for whoever has typed the right password: nobody else learns whether an account has a second factor. */
  check(personId: number, code: string | undefined, network: string): Promise<Step>
}

/** Who showed a passkey; `spend` counts it in the transaction that it opens something in. */
export type ShownPasskey = { personId: number; spend(tx: IdentityQueryable): Promise<void> }

/** Passkeys, for those who let people in by them. */
export type PasskeyProof = {
  /** The same refusal for a passkey that is not known as for one that is wrong. `of`: it has to be this person's. */
  show(given: Record<string, unknown>, address: string, of?: number): Promise<ShownPasskey>
}
