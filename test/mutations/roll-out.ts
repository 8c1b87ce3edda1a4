import type { Mutation } from './mutation.ts'

const exchange = ['src/capabilities/ci-trusts/exchange/exchange.test.ts']
const hostile = ['src/capabilities/sign-in-providers/hostile-provider.test.ts']

/** What came up when people, laptops and jobs were let in by hand. */
export const rollOut: Mutation[] = [
  {
    id: 'ci-issued-in-the-past',
    protection: 'A token of a CI system that says it was issued in the future is refused.',
    file: 'src/capabilities/ci-trusts/exchange/exchange.ts',
    find: 'if (claims.iat! > clock.now().getTime() / 1000 + skewSeconds)',
    replace: 'if (claims.iat! < 0)',
    tests: exchange,
  },
  {
    id: 'ci-gitlab-kind-of-ref',
    protection: 'A job of GitLab that does not say whether it runs for a branch or a tag speaks for neither.',
    file: 'src/capabilities/ci-trusts/exchange/job-claims.ts',
    find: "return kind === 'branch' ? boundRef",
    replace: "return kind !== 'tag' ? boundRef",
    tests: ['src/capabilities/ci-trusts/exchange/job-claims.test.ts'],
  },
  {
    id: 'provider-says-when-it-asked',
    protection:
      'A provider that can say when it asked who somebody is has to say it where something dangerous is confirmed.',
    file: 'src/capabilities/sign-in-providers/flow/sign-in.ts',
    find: "if (!at && about.claims_supported?.includes('auth_time'))",
    replace: "if (!at && about.claims_supported?.includes('nothing'))",
    tests: hostile,
  },
  {
    id: 'provider-asked-again',
    protection: 'Who was not asked again by the provider has confirmed nothing.',
    file: 'src/capabilities/sign-in-providers/flow/sign-in.ts',
    find: 'if (at && at.getTime() < begun - skewMs)',
    replace: 'if (at && at.getTime() < 0)',
    tests: hostile,
  },
  {
    id: 'reset-password-one-line',
    protection: 'A password that the server is given is one that can be typed.',
    file: 'src/cli/admin/person.ts',
    find: 'if (/[\\r\\n]/.test(password))',
    replace: "if (password === '')",
    tests: ['src/cli/admin/person.test.ts'],
  },
]
