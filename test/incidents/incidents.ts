import { held, type Incident } from './incident.ts'
import { npmIncidents } from './npm-incidents.ts'

const otherIncidents: readonly Incident[] = [
  {
    title: 'LiteLLM',
    ran: 'a `.pth` file in the wheel, at every start of Python',
    ecosystem: 'pypi',
    name: 'litellm',
    before: [
      { version: '1.82.5', publishedAt: '2026-03-21T00:03:48Z' },
      { version: '1.82.6', publishedAt: '2026-03-22T06:35:56Z' },
    ],
    attack: [
      { version: '1.82.7', publishedAt: '2026-03-24T10:39:00Z' },
      { version: '1.82.8', publishedAt: '2026-03-24T10:52:00Z' },
    ],
    removedAt: '2026-03-24T13:38:00Z',
    after: { version: '1.83.0', publishedAt: '2026-03-31T05:08:21Z' },
    held: held.byAge,
    afterwards: held.byAge,
    sources: [
      'https://github.com/BerriAI/litellm/issues/24518',
      'https://docs.litellm.ai/blog/security-update-march-2026',
    ],
  },
  {
    title: 'Telnyx',
    ran: 'when it was imported',
    ecosystem: 'pypi',
    name: 'telnyx',
    before: [
      { version: '4.86.0', publishedAt: '2026-03-24T21:33:46Z' },
      { version: '4.87.0', publishedAt: '2026-03-26T19:27:58Z' },
    ],
    attack: [
      { version: '4.87.1', publishedAt: '2026-03-27T03:51:00Z' },
      { version: '4.87.2', publishedAt: '2026-03-27T04:07:00Z' },
    ],
    removedAt: '2026-03-27T10:13:00Z',
    after: { version: '4.88.1', publishedAt: '2026-03-28T20:13:00Z' },
    held: held.byAge,
    afterwards: held.byAge,
    sources: ['https://github.com/pypa/advisory-database/pull/271'],
  },
  {
    title: 'arrayref, append-only-vec',
    ran: 'build.rs of a dependency that it gained',
    ecosystem: 'cargo',
    name: 'arrayref',
    before: [
      { version: '0.3.8', publishedAt: '2024-07-20T22:13:30Z' },
      { version: '0.3.9', publishedAt: '2024-09-14T12:24:40Z' },
    ],
    attack: [{ version: '0.3.10', publishedAt: '2026-08-20T12:00:00Z', dependencies: { 'proc-macro1': '1.0.107' } }],
    removedAt: '2026-08-20T13:26:00Z',
    after: { version: '0.3.12', publishedAt: '2026-08-27T12:00:00Z', isInvented: true },
    others: [{ name: 'proc-macro1', version: '1.0.107', publishedAt: '2026-08-20T11:00:00Z' }],
    held: held.byAge,
    afterwards: held.byAge,
    sources: [
      'https://blog.rust-lang.org/2026/08/20/supply-chain-attack-on-arrayref',
      'https://github.com/droundy/arrayref/issues/33',
    ],
  },
]

/** By the time of their first malicious version. */
export const incidents: readonly Incident[] = [...npmIncidents, ...otherIncidents].sort(
  (a, b) => Date.parse(a.attack[0]!.publishedAt) - Date.parse(b.attack[0]!.publishedAt),
)
