import type { Mutation } from './mutation.ts'

const tests = ['src/capabilities/people/resets/claims.test.ts']
const resetsFile = 'src/capabilities/people/resets/resets.ts'

/** What keeps a deployment from holding the addresses of people who have nothing to do with it. */
export const claims: Mutation[] = [
  {
    id: 'claimed-without-factors',
    protection: 'Who shows by mail that an address is theirs gets its account without the factors that others set up.',
    file: resetsFile,
    find: 'const had = await removeFactorsSince(tx, personId, new Date(since.getTime() - clocksDifferMs))',
    replace: 'const had = false',
    tests,
  },
  {
    id: 'claimed-out-of-reach',
    protection: 'A deployment sets no password of an account whose holder has shown that the address is theirs.',
    file: resetsFile,
    find: "    if (await isClaimed(identities, personId)) throw new Fault('forbidden', claimed)\n",
    replace: '',
    tests,
  },
  {
    id: 'claimed-links-end',
    protection: 'A link of an owner that was made while the account was claimed does not count.',
    file: resetsFile,
    find: '  if (await isClaimed(tx, person_id)) return false\n',
    replace: '',
    tests,
  },
  {
    id: 'claimed-address-alone',
    protection: 'An account that a directory gives another address is unclaimed again, with all that was set up on it.',
    file: 'src/capabilities/people/provisioned-accounts.ts',
    find: 'then unclaimed_since else created_at end',
    replace: 'then unclaimed_since else unclaimed_since end',
    tests,
  },
  {
    id: 'links-of-former-address',
    protection: 'A link that was mailed to one address ends when a directory gives the account another.',
    file: 'src/capabilities/people/provisioned-accounts.ts',
    find: '  if (other) await removeAll(tx, personId)\n',
    replace: '',
    tests,
  },
  {
    id: 'links-for-present-address',
    protection: 'No link is made for an address that the account does not have any more.',
    file: 'src/capabilities/people/resets/reset-store.ts',
    find: ' and lower(email) = lower(${made.email}) for share',
    replace: ' for share',
    tests,
  },
  {
    id: 'factors-stay-with-resets',
    protection: 'A reset mail removes no second factor that the holder of the account set up.',
    file: 'src/capabilities/people/resets/claim-store.ts',
    find: 'if (!row?.unclaimed_since) return undefined',
    replace: 'if (!row?.unclaimed_since) return new Date(0)',
    tests,
  },
  {
    id: 'awaited-past-single-sign-on',
    protection: 'A deployment that takes single sign-on only keeps nobody from joining another.',
    file: 'src/capabilities/sessions/service.ts',
    find: ' && !(await isAwaited(tx, personId, openedAt))',
    replace: '',
    tests,
  },
  {
    id: 'awaited-by-provider',
    protection: 'A deployment that suspends somebody does not keep them from one whose provider vouches for them.',
    file: 'src/capabilities/people/store.ts',
    find: 'sql`(${isVouchedFor(now)} or exists',
    replace: 'sql`(${isVouchedFor(now)} and exists',
    tests,
  },
  {
    id: 'log-ends-in-turns',
    protection: 'What ends with a large log is worked out in turns with others.',
    file: 'src/kernel/threads/in-turns.ts',
    find: 'createYield(), ',
    replace: '() => undefined, ',
    tests: ['src/capabilities/findings/ingest/plan-end.test.ts'],
  },
  {
    id: 'readings-in-pieces',
    protection: 'What a thread read of a large log is taken over piece by piece.',
    file: 'src/capabilities/scans/reading/reading-parts.ts',
    find: 'const fewest = 3',
    replace: 'const fewest = 3_000',
    tests: ['src/capabilities/scans/reading/reading-pool.test.ts'],
  },
]
