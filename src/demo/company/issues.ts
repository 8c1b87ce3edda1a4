import type { DemoClient } from '../client.ts'
import { createSeededRandom } from '../seeded-random.ts'
import type { DemoSize } from '../size.ts'
import type { Organisation } from './organisation.ts'

type Shape = { title: string; description: string; reasoning: string; cwe: string; severities: string[] }

const shapes: Shape[] = [
  {
    title: 'An agent may push to the main branch',
    description: 'The token that the agent runs with may write to every branch, the protected ones too.',
    reasoning: 'The workflow asks for contents: write, and nothing between the agent and the branch asks a person.',
    cwe: 'CWE-269',
    severities: ['HIGH', 'MEDIUM'],
  },
  {
    title: 'A prompt from a ticket reaches a shell',
    description: 'What a customer writes into a ticket becomes a part of a command that the agent runs.',
    reasoning: 'The text of the ticket is put into the prompt as it is, and the agent has a tool that runs commands.',
    cwe: 'CWE-77',
    severities: ['CRITICAL', 'HIGH'],
  },
  {
    title: 'A workflow runs with a token that may do everything',
    description: 'The token has all scopes, although the workflow only reads.',
    reasoning: 'Of the scopes of the token the workflow used two in the last thirty runs.',
    cwe: 'CWE-250',
    severities: ['MEDIUM', 'LOW'],
  },
  {
    title: 'A tool of an agent sends files to a foreign host',
    description: 'Files of the checkout go to an address that is not on the list of the company.',
    reasoning: 'The tool posts its input to an address from its configuration, without asking whether it may.',
    cwe: 'CWE-200',
    severities: ['HIGH', 'MEDIUM'],
  },
  {
    title: 'An agent installs packages that nobody pinned',
    description: 'It installs the newest version of whatever it thinks it needs.',
    reasoning: 'The agent runs the package manager without a lockfile and past the firewall.',
    cwe: 'CWE-829',
    severities: ['MEDIUM', 'LOW', 'INFO'],
  },
]

export async function seedIssues(
  owner: DemoClient,
  deploymentId: number,
  size: DemoSize,
  { repositoryIds }: Organisation,
): Promise<void> {
  const random = createSeededRandom(7)
  const repositories = [...repositoryIds]
  const issues = Array.from({ length: size.issues }, (_, n) => {
    const { title, severities, cwe, description, reasoning } = random.pick(shapes)
    const [name, id] = random.pick(repositories)
    return {
      externalKey: `demo-${n}`,
      title,
      description,
      reasoning,
      severity: `SEVERITY_${random.pick(severities)}`,
      projectIds: [String(id)],
      filePaths: [`.github/workflows/${random.pick(['triage', 'release', 'review', 'nightly'])}.yml`],
      workflowIds: [`${name.split('/')[1]}-${random.pick(['triage', 'release', 'review'])}`],
      identities: [random.pick(['release-bot', 'triage-agent', 'review-agent'])],
      triggerSources: [random.pick(['issue_comment', 'schedule', 'pull_request'])],
      actions: [random.pick(['git push', 'run a command', 'install packages', 'send a file'])],
      cwes: [cwe],
    }
  })
  type Reported = { results: { issueId: string }[] }
  const results: Reported['results'] = []
  for (let at = 0; at < issues.length; at += 100) {
    const body = { issues: issues.slice(at, at + 100) }
    results.push(...(await owner.call<Reported>('POST', `/api/issues/${deploymentId}/issues`, body)).results)
  }
  for (const { issueId } of results.slice(0, Math.ceil(results.length / 4))) {
    await owner.call('POST', `/api/issues/${deploymentId}/issue/${issueId}`, {
      triageState: random.pick(['TRIAGE_STATE_REVIEWING', 'TRIAGE_STATE_FIXING', 'TRIAGE_STATE_FIXED']),
    })
  }
}
