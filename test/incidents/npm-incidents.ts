import { held, type Incident } from './incident.ts'

const provenance = { attestations: { provenance: { predicateType: 'https://slsa.dev/provenance/v1' } } }
const trusted = { _npmUser: { name: 'GitHub Actions', trustedPublisher: { id: 'github' } } }
const by = (name: string) => ({ _npmUser: { name } })
/** What nx runs itself; clients run it in the replay too. */
const ownScript = {
  manifest: { scripts: { postinstall: 'node ./bin/post-install' }, hasInstallScript: true },
  files: { 'package/bin/post-install.js': '' },
}
const script = (when: string, line: string) => ({ scripts: { [when]: line }, hasInstallScript: true })

/**
 * Attacks on npm packages. Versions, times, scripts, dependencies and provenance are those of the reports and of what the registry still has;
 * what a report leaves out (the hour, sizes, the versions before, when it was taken away) is our estimate.
 */
export const npmIncidents: readonly Incident[] = [
  {
    title: 'nx “s1ngularity”',
    ran: 'postinstall, which nx always had',
    ecosystem: 'npm',
    name: 'nx',
    // It had a script already, so a new one is not what gives it away.
    before: [
      {
        version: '20.8.2',
        publishedAt: '2025-05-17T02:00:00Z',
        ...ownScript,
        dist: provenance,
      },
      {
        version: '21.4.0',
        publishedAt: '2025-08-16T09:00:00Z',
        ...ownScript,
        dist: provenance,
      },
      {
        version: '21.4.1',
        publishedAt: '2025-08-22T18:00:00Z',
        ...ownScript,
        dist: provenance,
      },
    ],
    attack: [
      ['21.5.0', '2025-08-26T22:32:00Z'],
      ['20.9.0', '2025-08-26T22:39:00Z'],
      ['20.10.0', '2025-08-26T23:54:00Z'],
      ['21.6.0', '2025-08-26T23:54:00Z'],
      ['20.11.0', '2025-08-27T00:16:00Z'],
      ['21.7.0', '2025-08-27T00:17:00Z'],
      ['21.8.0', '2025-08-27T00:37:00Z'],
      ['20.12.0', '2025-08-27T00:37:00Z'],
    ].map(([version, publishedAt]) => ({
      version: version!,
      publishedAt: publishedAt!,
      tag: version!.startsWith('20.') ? 'previous' : 'latest',
      manifest: script('postinstall', 'node telemetry.js'),
    })),
    removedAt: '2025-08-27T02:44:00Z',
    after: {
      version: '21.5.1',
      publishedAt: '2025-09-09T21:00:00Z',
      ...ownScript,
      dist: provenance,
    },
    held: held.byTrust,
    afterwards: held.byAge,
    sources: ['https://github.com/nrwl/nx/security/advisories/GHSA-cxm3-wv7p-598c'],
  },
  {
    title: 'chalk, debug and 16 others',
    ran: 'when it was imported, in browsers',
    ecosystem: 'npm',
    name: 'debug',
    before: [
      { version: '4.4.0', publishedAt: '2024-12-06T11:00:00Z', manifest: by('qix'), dependencies: { ms: '*' } },
      { version: '4.4.1', publishedAt: '2025-05-13T21:00:00Z', manifest: by('qix'), dependencies: { ms: '*' } },
    ],
    attack: [{ version: '4.4.2', publishedAt: '2025-09-08T13:16:00Z', manifest: by('qix'), dependencies: { ms: '*' } }],
    removedAt: '2025-09-08T15:20:00Z',
    after: { version: '4.4.3', publishedAt: '2025-09-13T17:24:00Z', manifest: by('qix'), dependencies: { ms: '*' } },
    held: held.byAge,
    afterwards: held.byAge,
    sources: ['https://github.com/debug-js/debug/issues/1005', 'https://github.com/chalk/chalk/issues/656'],
  },
  {
    title: 'Shai-Hulud',
    ran: 'postinstall',
    ecosystem: 'npm',
    name: '@ctrl/tinycolor',
    before: [{ version: '4.1.0', publishedAt: '2024-04-21T00:00:00Z' }],
    attack: [
      { version: '4.1.1', publishedAt: '2025-09-15T19:52:00Z', manifest: script('postinstall', 'node bundle.js') },
      { version: '4.1.2', publishedAt: '2025-09-15T20:10:00Z', manifest: script('postinstall', 'node bundle.js') },
    ],
    removedAt: '2025-09-16T02:00:00Z',
    after: { version: '4.2.0', publishedAt: '2025-09-17T06:00:00Z' },
    held: held.byScript,
    afterwards: held.byAge,
    sources: ['https://github.com/scttcper/tinycolor/issues/256'],
  },
  {
    title: 'Shai-Hulud 2.0',
    ran: 'preinstall, which fetched Bun',
    ecosystem: 'npm',
    name: 'posthog-js',
    before: [
      { version: '1.297.1', publishedAt: '2025-11-20T12:00:00Z', dependencies: { fflate: '*', preact: '*' } },
      { version: '1.297.2', publishedAt: '2025-11-21T01:00:00Z', dependencies: { fflate: '*', preact: '*' } },
    ],
    attack: [
      {
        version: '1.297.3',
        publishedAt: '2025-11-24T04:11:00Z',
        dependencies: { fflate: '*', preact: '*' },
        manifest: script('preinstall', 'node setup_bun.js'),
      },
    ],
    removedAt: '2025-11-24T09:30:00Z',
    after: { version: '1.298.0', publishedAt: '2025-11-25T00:00:00Z', dependencies: { fflate: '*', preact: '*' } },
    held: held.byScript,
    afterwards: held.byAge,
    sources: ['https://posthog.com/blog/nov-24-shai-hulud-attack-post-mortem'],
  },
  {
    title: 'axios',
    ran: 'postinstall of a dependency that it gained',
    ecosystem: 'npm',
    name: 'axios',
    before: [
      {
        version: '1.13.6',
        publishedAt: '2026-02-27T17:00:00Z',
        dependencies: { 'follow-redirects': '*' },
        manifest: trusted,
        dist: provenance,
      },
      {
        version: '0.30.3',
        publishedAt: '2026-03-03T23:00:00Z',
        dependencies: { 'follow-redirects': '*' },
        manifest: trusted,
        dist: provenance,
        tag: 'legacy',
      },
      {
        version: '1.14.0',
        publishedAt: '2026-03-27T19:01:00Z',
        dependencies: { 'follow-redirects': '*' },
        manifest: trusted,
        dist: provenance,
      },
    ],
    attack: [
      {
        version: '1.14.1',
        publishedAt: '2026-03-31T00:21:00Z',
        dependencies: { 'follow-redirects': '*', 'plain-crypto-js': '^4.2.1' },
        manifest: by('jasonsaayman'),
      },
      {
        version: '0.30.4',
        publishedAt: '2026-03-31T01:00:00Z',
        dependencies: { 'follow-redirects': '*', 'plain-crypto-js': '^4.2.1' },
        manifest: by('jasonsaayman'),
        tag: 'legacy',
      },
    ],
    removedAt: '2026-03-31T03:15:00Z',
    after: {
      version: '1.15.0',
      publishedAt: '2026-04-08T16:00:00Z',
      dependencies: { 'follow-redirects': '*' },
      manifest: trusted,
      dist: provenance,
    },
    others: [
      { name: 'plain-crypto-js', version: '4.2.0', publishedAt: '2026-03-30T05:57:00Z' },
      {
        name: 'plain-crypto-js',
        version: '4.2.1',
        publishedAt: '2026-03-30T23:59:00Z',
        manifest: script('postinstall', 'node setup.js'),
      },
    ],
    held: held.byTrust,
    afterwards: held.byAge,
    sources: ['https://github.com/axios/axios/issues/10604'],
  },
  {
    title: 'Mini Shai-Hulud: TanStack',
    ran: 'prepare of a git dependency that it gained; valid provenance',
    ecosystem: 'npm',
    name: '@tanstack/react-router',
    before: [
      {
        version: '1.169.1',
        publishedAt: '2026-05-01T00:00:00Z',
        dependencies: { isbot: '*' },
        manifest: trusted,
        dist: provenance,
      },
      {
        version: '1.169.2',
        publishedAt: '2026-05-05T22:00:00Z',
        dependencies: { isbot: '*' },
        manifest: trusted,
        dist: provenance,
      },
    ],
    attack: [
      ['1.169.5', '2026-05-11T19:20:00Z'],
      ['1.169.8', '2026-05-11T19:26:00Z'],
    ].map(([version, publishedAt]) => ({
      version: version!,
      publishedAt: publishedAt!,
      dependencies: { isbot: '*' },
      // It was a commit on GitHub. Here it leads nowhere, should a client ever follow it.
      manifest: {
        ...trusted,
        optionalDependencies: { '@tanstack/setup': 'git+https://github.invalid/tanstack/router.git#79ac49e' },
      },
      dist: provenance,
    })),
    removedAt: '2026-05-11T22:00:00Z',
    after: {
      version: '1.170.0',
      publishedAt: '2026-05-15T20:00:00Z',
      dependencies: { isbot: '*' },
      manifest: trusted,
      dist: provenance,
    },
    held: held.byExotic,
    afterwards: held.byAge,
    sources: [
      'https://tanstack.com/blog/npm-supply-chain-compromise-postmortem',
      'https://github.com/TanStack/router/issues/7383',
    ],
  },
  {
    title: 'Mini Shai-Hulud: Mistral',
    ran: 'preinstall',
    ecosystem: 'npm',
    name: '@mistralai/mistralai',
    before: [
      { version: '2.2.0', publishedAt: '2026-04-07T16:51:48Z' },
      { version: '2.2.1', publishedAt: '2026-04-21T15:09:45Z' },
    ],
    attack: [
      { version: '2.2.2', publishedAt: '2026-05-11T22:45:38Z', manifest: script('preinstall', 'node setup.mjs') },
      { version: '2.2.3', publishedAt: '2026-05-11T22:49:23Z', manifest: script('preinstall', 'node setup.mjs') },
      { version: '2.2.4', publishedAt: '2026-05-11T22:53:59Z', manifest: script('preinstall', 'node setup.mjs') },
    ],
    removedAt: '2026-05-12T02:00:00Z',
    after: { version: '2.2.5', publishedAt: '2026-06-04T17:00:00Z' },
    held: held.byScript,
    afterwards: held.byAge,
    sources: ['https://github.com/mistralai/client-ts/issues/217'],
  },
  {
    title: 'Miasma: @redhat-cloud-services',
    ran: 'preinstall; valid provenance',
    ecosystem: 'npm',
    name: '@redhat-cloud-services/frontend-components',
    before: [
      { version: '7.7.0', publishedAt: '2026-04-23T08:00:00Z', manifest: trusted, dist: provenance },
      { version: '7.7.1', publishedAt: '2026-05-20T08:00:00Z', manifest: trusted, dist: provenance },
    ],
    attack: ['7.7.2', '7.7.3', '7.7.5'].map((version, place) => ({
      version,
      publishedAt: `2026-06-01T1${place}:00:00Z`,
      manifest: { ...trusted, ...script('preinstall', 'node index.js') },
      dist: provenance,
    })),
    removedAt: '2026-06-01T16:00:00Z',
    after: {
      version: '7.7.6',
      publishedAt: '2026-06-08T12:00:00Z',
      isInvented: true,
      manifest: trusted,
      dist: provenance,
    },
    held: held.byScript,
    afterwards: held.byAge,
    sources: ['https://github.com/RedHatInsights/frontend-components/issues/2329'],
  },
  {
    title: 'Miasma: LeoPlatform',
    ran: 'binding.gyp, which the metadata does not mention',
    ecosystem: 'npm',
    name: 'leo-sdk',
    before: [
      {
        version: '6.0.17',
        publishedAt: '2024-11-01T00:00:00Z',
        manifest: by('czirker'),
        dist: { unpackedSize: 400_000 },
      },
      {
        version: '6.0.18',
        publishedAt: '2024-12-13T06:00:00Z',
        manifest: by('czirker'),
        dist: { unpackedSize: 400_000 },
      },
    ],
    attack: [
      {
        version: '6.0.19',
        publishedAt: '2026-06-24T23:04:55Z',
        manifest: by('czirker'),
        dist: { unpackedSize: 5_600_000 },
      },
    ],
    removedAt: '2026-06-25T06:00:00Z',
    after: {
      version: '6.0.20',
      publishedAt: '2026-07-06T12:00:00Z',
      isInvented: true,
      manifest: by('czirker'),
      dist: { unpackedSize: 401_000 },
    },
    held: held.bySize,
    afterwards: held.byAge,
    sources: ['https://github.com/ossf/malicious-packages/pull/1331'],
  },
  {
    title: 'keyv, cacheable',
    ran: 'preinstall; valid provenance',
    ecosystem: 'npm',
    name: 'keyv',
    before: [
      { version: '5.5.5', publishedAt: '2025-12-04T05:00:00Z', manifest: by('jaredwray') },
      { version: '5.6.0', publishedAt: '2026-01-21T15:00:00Z', manifest: by('jaredwray') },
      { version: '6.0.0-rc.1', publishedAt: '2026-07-20T12:00:00Z', manifest: trusted, dist: provenance, tag: 'next' },
    ],
    attack: [
      {
        version: '6.0.0',
        publishedAt: '2026-08-04T09:06:00Z',
        manifest: { ...trusted, ...script('preinstall', 'node setup.mjs') },
        dist: provenance,
      },
    ],
    removedAt: '2026-08-04T12:00:00Z',
    after: {
      version: '6.1.0',
      publishedAt: '2026-10-06T21:00:00Z',
      manifest: trusted,
      dist: provenance,
      dependencies: { hookified: '*' },
    },
    held: held.byScript,
    afterwards: held.byAge,
    sources: ['https://github.com/jaredwray/cacheable/issues/1691', 'https://github.com/jaredwray/keyv/issues/2051'],
  },
]
