import type { Actor } from '../../kernel/access/actor.ts'
import type { BoundSubject } from '../../kernel/access/bound-subject.ts'
import { Fault, type FieldError } from '../../kernel/contract/fault.ts'
import type { EndedPullRequest, NewScan } from './contract.ts'
import type { ScanRequest } from './reading/scan-request.ts'

/** Jobs call a tag by its name alone, which a branch may have as well; their scans are kept under the whole ref. */
export function withOwnTag({ bound }: Actor, scan: NewScan): NewScan {
  return bound?.ref === `refs/tags/${scan.ref}` ? { ...scan, ref: bound.ref } : scan
}

/** What a CI job says about itself has to be what its CI system signed: it reports for its own repository and ref alone. */
export function requireOwnSubject({ bound }: Actor, scan: ScanRequest): void {
  if (!bound) return
  const errors: FieldError[] = []
  const same = (name: keyof BoundSubject, given: string | number, signed: string | number | null) => {
    if (given !== signed) errors.push({ pointer: `/${name}`, detail: `the token of this job is for '${signed ?? ''}'` })
  }
  same('repository', scan.repository, bound.repository)
  same('ref', scan.ref, bound.ref)
  if (bound.pullRequest !== null) same('pullRequest', scan.pullRequest, bound.pullRequest)
  if (bound.baseRef !== '') same('baseRef', scan.baseRef, bound.baseRef)
  if (bound.commit !== '' && scan.commit !== '') same('commit', scan.commit.toLowerCase(), bound.commit)
  if (errors.length > 0) throw foreign(errors)
}

/** Only the pull request that the job runs for; a job of a branch ends none. */
export function requireOwnPullRequest({ bound }: Actor, ended: EndedPullRequest): void {
  if (!bound) return
  const errors: FieldError[] = []
  const detail = 'is not what the token of this job is for'
  if (ended.repository !== bound.repository) errors.push({ pointer: '/repository', detail })
  if (!bound.pullRequest || ended.pullRequest !== bound.pullRequest) errors.push({ pointer: '/pullRequest', detail })
  if (errors.length > 0) throw foreign(errors)
}

/** A branch that is gone has no jobs: those of the default branch may say so, and none of a pull request. */
export function requireOwnDefaultBranch({ bound }: Actor, repository: string, defaultBranch: string): void {
  if (!bound) return
  const isOwn = bound.repository === repository && bound.ref === defaultBranch && bound.pullRequest === 0
  if (!isOwn) throw foreign([{ pointer: '/repository', detail: 'only a job of its default branch ends branches' }])
}

function foreign(errors: FieldError[]): Fault {
  return new Fault('forbidden', 'The job speaks for another repository, ref or pull request than its token.', {
    errors,
  })
}
