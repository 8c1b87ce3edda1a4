import packageJson from '../../../../package.json' with { type: 'json' }
import { NewScan } from '../../../capabilities/scans/contract.ts'
import type { FieldError } from '../../../kernel/contract/fault.ts'
import { validate } from '../../../kernel/contract/validate.ts'
import { CommandProblem } from '../../command-problem.ts'
import { type Environment, readCiEnvironment, type Subject } from './ci-environment.ts'
import { describeCheckout } from './git-checkout.ts'

export type SubjectOptions = Subject & {
  allowEmpty?: boolean
  createRepository?: boolean
  root?: string
  part?: string
}

/** What the upload says about itself: from the options, else from the environment, else from git. */
export async function scanSubject(options: SubjectOptions, env: Environment, folder: string): Promise<NewScan> {
  const told = readCiEnvironment(env)
  const pullRequest = options.pullRequest ?? told.pullRequest
  const baseRef = options.baseRef ?? told.baseRef
  let repository = options.repository ?? told.repository
  let ref = options.ref ?? told.ref
  let commit = options.commit ?? told.commit
  let silence: string | undefined
  if (!repository || !ref || !commit) {
    const checkout = await describeCheckout(folder)
    silence = checkout.silence
    repository ??= checkout.repository
    ref ??= checkout.ref
    commit ??= checkout.commit
  }
  if (!repository) throw notKnown('repository', silence ?? 'git has no remote origin with a name in it')
  if (!ref) throw notKnown('ref', silence ?? 'git is on no branch')
  const scan: NewScan = {
    repository,
    ref,
    ...(commit ? { commit: commit.toLowerCase() } : {}),
    ...change(options, pullRequest, baseRef),
    ...(options.root ? { root: options.root } : {}),
    ...(options.part ? { part: options.part } : {}),
    ...(told.run ? { run: told.run } : {}),
    ...(options.allowEmpty ? { allowEmpty: true } : {}),
    ...(options.createRepository === false ? { createRepository: false } : {}),
    tool: `gatehouse/${packageJson.version}`,
  }
  return checked(scan)
}

/** A CI service that has a pull request but cannot say where it goes to leaves a scan of a branch. */
function change(options: Subject, pullRequest: number | undefined, baseRef: string | undefined): Partial<NewScan> {
  if (baseRef && !pullRequest) throw notKnown('pull-request', 'there is only a base ref, which belongs to one')
  if (options.pullRequest && !baseRef) throw notKnown('base-ref', 'a pull request goes to a branch')
  if (!pullRequest || !baseRef) return {}
  return { kind: 'SCAN_KIND_PULL_REQUEST', pullRequest, baseRef }
}

function notKnown(option: string, why: string): CommandProblem {
  const variable = `GATEHOUSE_${option.toUpperCase().replace('-', '_')}`
  return new CommandProblem(`Say --${option} (or ${variable}): ${why}.`)
}

function checked(scan: NewScan): NewScan {
  const errors: FieldError[] = []
  validate(NewScan, scan, '', errors)
  if (errors.length === 0) return scan
  const faults = errors.map(({ pointer, detail }) => {
    const field = pointer.slice(1)
    return `${field} '${scan[field as keyof NewScan]}' ${detail}`
  })
  throw new CommandProblem(`This cannot be uploaded: ${faults.join('; ')}.`)
}
