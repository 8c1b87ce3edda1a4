import type { BoundSubject } from '../../../kernel/access/bound-subject.ts'
import type { CiTrust } from '../contract.ts'

export type Claims = Readonly<Record<string, unknown>>

/** A claim as text, as the issuer wrote it. Whatever is not a plain value, in one line, is none. */
export function claimOf(claims: Claims, name: string): string {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined
  // Of larger numbers several are read as the same one: the id of one project would be that of another.
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : ''
  if (typeof value === 'string') return /\p{Cc}/u.test(value) ? '' : value
  return typeof value === 'boolean' ? String(value) : ''
}

/** Whether every condition holds, to the character: nothing that merely looks like a value is one. */
export function conditionsHold(claims: Claims, conditions: CiTrust['conditions']): boolean {
  return conditions.every(({ claim, values }) => {
    const value = claimOf(claims, claim)
    return value !== '' && values.includes(value)
  })
}

/** At least one of these has to be a condition: an owner, group or project that is deleted gives its name to strangers. */
export const immutableClaims: Record<CiTrust['provider'], readonly string[] | undefined> = {
  github: ['repository_id', 'repository_owner_id', 'enterprise_id'],
  gitlab: ['project_id', 'namespace_id'],
  other: undefined,
}

export type JobSubject = BoundSubject & {
  /** What the repository is at its host, whatever it is called; empty where the claims do not say. */
  externalId: string
}

/** What the job may speak for. Undefined where the claims do not name a repository and a ref. */
export function subjectOf(trust: Pick<CiTrust, 'provider' | 'repositoryClaim' | 'refClaim'>, claims: Claims) {
  const subject = readers[trust.provider](claims, trust)
  return subject.repository && subject.ref ? subject : undefined
}

type Reader = (claims: Claims, trust: Pick<CiTrust, 'repositoryClaim' | 'refClaim'>) => JobSubject

const readers: Record<CiTrust['provider'], Reader> = {
  /** https://docs.github.com/actions/reference/openid-connect-reference: a pull request has refs/pull/N/merge and head_ref. */
  github(claims) {
    const of = (name: string) => claimOf(claims, name)
    const pullRequest = Number(/^refs\/pull\/(\d{1,9})\/merge$/.exec(of('ref'))?.[1] ?? 0)
    return {
      repository: of('repository'),
      ref: pullRequest > 0 ? of('head_ref') : boundRef(of('ref')),
      commit: of('sha').toLowerCase(),
      pullRequest,
      baseRef: pullRequest > 0 ? of('base_ref') : '',
      externalId: of('repository_id'),
    }
  },

  /** https://docs.gitlab.com/ci/secrets/id_token_authentication/: a merge request has refs/merge-requests/N/… as ref_path. */
  gitlab(claims) {
    const of = (name: string) => claimOf(claims, name)
    const pullRequest = Number(/^refs\/merge-requests\/(\d{1,9})\//.exec(of('ref_path'))?.[1] ?? 0)
    return {
      repository: of('project_path'),
      ref: gitlabRef(of('ref_type'), of('ref')),
      commit: of('sha').toLowerCase(),
      pullRequest,
      baseRef: '',
      externalId: of('project_id'),
    }
  },

  other(claims, { repositoryClaim, refClaim }) {
    const repository = claimOf(claims, repositoryClaim)
    return {
      repository,
      ref: boundRef(claimOf(claims, refClaim)),
      commit: '',
      pullRequest: null,
      baseRef: '',
      externalId: '',
    }
  },
}

/** What is called neither a branch nor a tag is not taken for a branch. */
function gitlabRef(kind: string, name: string): string {
  if (name === '') return ''
  if (kind === 'tag') return `refs/tags/${name}`
  return kind === 'branch' ? boundRef(`refs/heads/${name}`) : ''
}

/**
 * A branch by its name, a tag by its whole ref: whoever may push tags, and not to `main`, must not report for `main` by a tag of that
 * name. Empty for a branch whose name looks like a whole ref.
 */
function boundRef(ref: string): string {
  const branch = ref.replace(/^refs\/heads\//, '')
  return branch !== ref && branch.startsWith('refs/') ? '' : branch
}
