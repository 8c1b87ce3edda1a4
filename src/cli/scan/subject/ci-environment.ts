import { repositoryOfUrl } from './git-checkout.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** What is scanned, as far as somebody knows. */
export type Subject = {
  repository?: string | undefined
  ref?: string | undefined
  commit?: string | undefined
  pullRequest?: number | undefined
  baseRef?: string | undefined
  /** The run of a job, which stays the same when the job is run again. */
  run?: string | undefined
}

/** Each CI service by the variable that only it sets, and what its other variables say. */
const services: [mark: string, read: (env: Environment) => Subject][] = [
  ['GITHUB_ACTIONS', readGithub],
  ['GITLAB_CI', readGitlab],
  ['JENKINS_URL', readJenkins],
  ['BITBUCKET_BUILD_NUMBER', readBitbucket],
  ['TF_BUILD', readAzure],
  ['CIRCLECI', readCircle],
]

/** What the environment says: GATEHOUSE_* for every CI service, which outrank what a known service tells by itself. */
export function readCiEnvironment(env: Environment): Subject {
  const service = services.find(([mark]) => env[mark])
  const told = service?.[1](env) ?? {}
  return {
    repository: env.GATEHOUSE_REPOSITORY || told.repository || undefined,
    ref: env.GATEHOUSE_REF || told.ref || undefined,
    commit: env.GATEHOUSE_COMMIT || told.commit || undefined,
    pullRequest: number(env.GATEHOUSE_PULL_REQUEST) ?? told.pullRequest,
    baseRef: env.GATEHOUSE_BASE_REF || told.baseRef || undefined,
    run: env.GATEHOUSE_RUN || told.run || undefined,
  }
}

function readGithub(env: Environment): Subject {
  return {
    repository: env.GITHUB_REPOSITORY,
    ref: env.GITHUB_HEAD_REF || env.GITHUB_REF_NAME,
    commit: env.GITHUB_SHA,
    pullRequest: number(/^refs\/pull\/(\d+)\//.exec(env.GITHUB_REF ?? '')?.[1]),
    baseRef: env.GITHUB_BASE_REF,
    run: env.GITHUB_RUN_ID,
  }
}

function readGitlab(env: Environment): Subject {
  return {
    repository: env.CI_PROJECT_PATH,
    ref: env.CI_MERGE_REQUEST_SOURCE_BRANCH_NAME || env.CI_COMMIT_REF_NAME,
    commit: env.CI_COMMIT_SHA,
    pullRequest: number(env.CI_MERGE_REQUEST_IID),
    baseRef: env.CI_MERGE_REQUEST_TARGET_BRANCH_NAME,
    run: env.CI_PIPELINE_ID,
  }
}

/** In a multibranch job a change has CHANGE_*, and BRANCH_NAME is then `PR-7`; other jobs only have GIT_*. */
function readJenkins(env: Environment): Subject {
  return {
    repository: env.GIT_URL && repositoryOfUrl(env.GIT_URL),
    ref: env.CHANGE_BRANCH || env.BRANCH_NAME || env.GIT_BRANCH?.replace(/^origin\//, ''),
    commit: env.GIT_COMMIT,
    pullRequest: number(env.CHANGE_ID),
    baseRef: env.CHANGE_TARGET,
    run: env.BUILD_TAG,
  }
}

function readBitbucket(env: Environment): Subject {
  return {
    repository: env.BITBUCKET_REPO_FULL_NAME,
    ref: env.BITBUCKET_BRANCH || env.BITBUCKET_TAG,
    commit: env.BITBUCKET_COMMIT,
    pullRequest: number(env.BITBUCKET_PR_ID),
    baseRef: env.BITBUCKET_PR_DESTINATION_BRANCH,
    run: env.BITBUCKET_BUILD_NUMBER,
  }
}

/** Only repositories hosted elsewhere have a name with their group in it; those of the service itself are in a project. */
function readAzure(env: Environment): Subject {
  const name = env.BUILD_REPOSITORY_NAME
  const project = env.BUILD_REPOSITORY_PROVIDER === 'TfsGit' ? env.SYSTEM_TEAMPROJECT : undefined
  return {
    repository: name && project ? `${project}/${name}` : name,
    ref: shortRef(env.SYSTEM_PULLREQUEST_SOURCEBRANCH || env.BUILD_SOURCEBRANCH),
    commit: env.BUILD_SOURCEVERSION,
    pullRequest: number(env.SYSTEM_PULLREQUEST_PULLREQUESTNUMBER || env.SYSTEM_PULLREQUEST_PULLREQUESTID),
    baseRef: shortRef(env.SYSTEM_PULLREQUEST_TARGETBRANCH),
    run: env.BUILD_BUILDID,
  }
}

/** It does not say which branch a pull request goes to. */
function readCircle(env: Environment): Subject {
  const { CIRCLE_PROJECT_USERNAME: group, CIRCLE_PROJECT_REPONAME: name } = env
  return {
    repository:
      group && name ? `${group}/${name}` : env.CIRCLE_REPOSITORY_URL && repositoryOfUrl(env.CIRCLE_REPOSITORY_URL),
    ref: env.CIRCLE_BRANCH || env.CIRCLE_TAG,
    commit: env.CIRCLE_SHA1,
    pullRequest: number(env.CIRCLE_PR_NUMBER || /\/(\d+)$/.exec(env.CIRCLE_PULL_REQUEST ?? '')?.[1]),
  }
}

function shortRef(ref: string | undefined): string | undefined {
  return ref?.replace(/^refs\/(heads|tags)\//, '')
}

/** Some services write `false` where there is no pull request. */
function number(text: string | undefined): number | undefined {
  return text && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined
}
