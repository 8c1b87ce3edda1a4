import type { Command } from 'commander'
import { wholeNumber } from '../whole-number.ts'
import type { SubjectOptions } from './subject/scan-subject.ts'

export type UploadOptions = SubjectOptions & { url?: string; deployment?: number; tokenFile?: string; dryRun?: boolean }

/** What `scan` and `upload` have in common. There is no option for the token: arguments are visible to every process. */
export function withUploadOptions(command: Command): Command {
  return command
    .option('--repository <name>', 'group/name of the repository (default: from CI, else from the git remote)')
    .option('--ref <name>', 'branch or tag (default: from CI, else from git)')
    .option('--commit <hash>', 'commit (default: from CI, else from git)')
    .option('--pull-request <number>', 'scan of a pull request (default: from CI)', wholeNumber)
    .option('--base-ref <name>', 'branch that the pull request goes to (default: from CI)')
    .option('--url <address>', 'where Gatehouse is (default: GATEHOUSE_URL)')
    .option('--deployment <id>', 'deployment (default: GATEHOUSE_DEPLOYMENT, else 1)', wholeNumber)
    .option(
      '--token-file <file>',
      'file with the API token (default: the token in GATEHOUSE_TOKEN, else that of the CI job, else that of gatehouse login)',
    )
    .option('--no-create-repository', 'refuse a repository that Gatehouse does not know')
    .option('--dry-run', 'only say what would be sent')
    .option('--json', 'print JSON, for programs')
    .addHelpText(
      'after',
      '\nExits 0 when Gatehouse has the scan, 1 when an automation blocks it, 2 when Gatehouse does not have it.',
    )
}

export const rootOption = [
  '--root <folder>',
  'where the repository was when the tools ran, for logs with absolute paths (default: GATEHOUSE_ROOT, else the top of the checkout)',
] as const
