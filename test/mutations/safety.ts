import type { Mutation } from './mutation.ts'

const attacks = ['src/capabilities/provisioning/attacks.test.ts']

export const safety: Mutation[] = [
  {
    id: 'suspended-password',
    protection: 'No password opens an account that every deployment of its has suspended, nor tells that it is right.',
    file: 'src/capabilities/sessions/service.ts',
    find: 'const hash = account && !shut ? account.password_hash : nobodysHash',
    replace: 'const hash = account?.password_hash ?? nobodysHash',
    tests: attacks,
  },
  {
    id: 'suspended-may-join-others',
    protection: 'A deployment that suspends somebody does not keep them from accepting the invitation of another.',
    file: 'src/capabilities/people/store.ts',
    find: 'and invitation.expires_at > ${now}))`',
    replace: 'and false))`',
    tests: attacks,
  },
  {
    id: 'suspended-passkey',
    protection: 'No passkey opens an account that every deployment of its has suspended.',
    file: 'src/capabilities/factors/passkeys/passkeys.ts',
    find: "    if (await isShutOut(identities, passkey.person_id, clock.now())) return refuse('shut out')\n",
    replace: '',
    tests: ['src/capabilities/factors/passkeys/passkeys.test.ts'],
  },
  {
    id: 'suspended-provider',
    protection: 'A provider opens no session for somebody who is suspended in its deployment.',
    file: 'src/capabilities/sign-in-providers/membership/settle.ts',
    find: "  if (await isSuspended(tx, personId)) return 'suspended'\n",
    replace: '',
    tests: ['src/capabilities/sign-in-providers/sign-in.test.ts'],
  },
  {
    id: 'ci-numbers-exact',
    protection: 'A number in the token of a CI system that cannot be told from its neighbours meets no condition.',
    file: 'src/capabilities/ci-trusts/exchange/job-claims.ts',
    find: "return Number.isSafeInteger(value) ? String(value) : ''",
    replace: 'return String(value)',
    tests: ['src/capabilities/ci-trusts/exchange/job-claims.test.ts'],
  },
]
