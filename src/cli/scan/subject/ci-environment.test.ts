import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Environment, readCiEnvironment, type Subject } from './ci-environment.ts'

const commit = '1f0c4b2a9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a'

const cases: [title: string, env: Environment, subject: Subject][] = [
  ['nothing is known outside of CI', { GITHUB_REPOSITORY: 'a/b' }, {}],
  [
    'GitHub Actions, a push',
    {
      GITHUB_ACTIONS: 'true',
      GITHUB_REPOSITORY: 'shop/checkout',
      GITHUB_REF: 'refs/heads/feature/x',
      GITHUB_REF_NAME: 'feature/x',
      GITHUB_HEAD_REF: '',
      GITHUB_BASE_REF: '',
      GITHUB_SHA: commit,
    },
    { repository: 'shop/checkout', ref: 'feature/x', commit },
  ],
  [
    'GitHub Actions, a pull request',
    {
      GITHUB_ACTIONS: 'true',
      GITHUB_REPOSITORY: 'shop/checkout',
      GITHUB_REF: 'refs/pull/17/merge',
      GITHUB_REF_NAME: '17/merge',
      GITHUB_HEAD_REF: 'feature/x',
      GITHUB_BASE_REF: 'main',
      GITHUB_SHA: commit,
      GITHUB_RUN_ID: '1658821493',
    },
    { repository: 'shop/checkout', ref: 'feature/x', commit, pullRequest: 17, baseRef: 'main', run: '1658821493' },
  ],
  [
    'GitLab CI, a branch',
    {
      GITLAB_CI: 'true',
      CI_PROJECT_PATH: 'a/b/c',
      CI_COMMIT_REF_NAME: 'main',
      CI_COMMIT_SHA: commit,
      CI_PIPELINE_ID: '12',
    },
    { repository: 'a/b/c', ref: 'main', commit, run: '12' },
  ],
  [
    'GitLab CI, a merge request',
    {
      GITLAB_CI: 'true',
      CI_PROJECT_PATH: 'a/b/c',
      CI_COMMIT_REF_NAME: 'refs/merge-requests/5/merge',
      CI_COMMIT_SHA: commit,
      CI_MERGE_REQUEST_IID: '5',
      CI_MERGE_REQUEST_SOURCE_BRANCH_NAME: 'fix',
      CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main',
    },
    { repository: 'a/b/c', ref: 'fix', commit, pullRequest: 5, baseRef: 'main' },
  ],
  [
    'Jenkins, a plain job',
    { JENKINS_URL: 'x', GIT_URL: 'git@git.example.com:a/b.git', GIT_BRANCH: 'origin/release/1', GIT_COMMIT: commit },
    { repository: 'a/b', ref: 'release/1', commit },
  ],
  [
    'Jenkins, a change in a multibranch job',
    {
      JENKINS_URL: 'x',
      GIT_URL: 'https://git.example.com/a/b',
      BRANCH_NAME: 'PR-8',
      CHANGE_ID: '8',
      CHANGE_BRANCH: 'fix',
      CHANGE_TARGET: 'main',
      GIT_COMMIT: commit,
    },
    { repository: 'a/b', ref: 'fix', commit, pullRequest: 8, baseRef: 'main' },
  ],
  [
    'Bitbucket Pipelines, a tag',
    { BITBUCKET_BUILD_NUMBER: '1', BITBUCKET_REPO_FULL_NAME: 'a/b', BITBUCKET_TAG: 'v1', BITBUCKET_COMMIT: commit },
    { repository: 'a/b', ref: 'v1', commit, run: '1' },
  ],
  [
    'Bitbucket Pipelines, a pull request',
    {
      BITBUCKET_BUILD_NUMBER: '1',
      BITBUCKET_REPO_FULL_NAME: 'a/b',
      BITBUCKET_BRANCH: 'fix',
      BITBUCKET_COMMIT: commit,
      BITBUCKET_PR_ID: '3',
      BITBUCKET_PR_DESTINATION_BRANCH: 'main',
    },
    { repository: 'a/b', ref: 'fix', commit, pullRequest: 3, baseRef: 'main', run: '1' },
  ],
  [
    'Azure Pipelines, a branch of its own repository',
    {
      TF_BUILD: 'True',
      BUILD_REPOSITORY_PROVIDER: 'TfsGit',
      SYSTEM_TEAMPROJECT: 'Web Shop',
      BUILD_REPOSITORY_NAME: 'checkout',
      BUILD_SOURCEBRANCH: 'refs/heads/main',
      BUILD_SOURCEVERSION: commit,
    },
    { repository: 'Web Shop/checkout', ref: 'main', commit },
  ],
  [
    'Azure Pipelines, a pull request of a repository hosted elsewhere',
    {
      TF_BUILD: 'True',
      BUILD_REPOSITORY_PROVIDER: 'GitHub',
      SYSTEM_TEAMPROJECT: 'anything',
      BUILD_REPOSITORY_NAME: 'shop/checkout',
      BUILD_SOURCEBRANCH: 'refs/pull/9/merge',
      BUILD_SOURCEVERSION: commit,
      SYSTEM_PULLREQUEST_PULLREQUESTID: '12345678',
      SYSTEM_PULLREQUEST_PULLREQUESTNUMBER: '9',
      SYSTEM_PULLREQUEST_SOURCEBRANCH: 'refs/heads/fix',
      SYSTEM_PULLREQUEST_TARGETBRANCH: 'main',
    },
    { repository: 'shop/checkout', ref: 'fix', commit, pullRequest: 9, baseRef: 'main' },
  ],
  [
    'CircleCI, a branch with a pull request',
    {
      CIRCLECI: 'true',
      CIRCLE_PROJECT_USERNAME: 'a',
      CIRCLE_PROJECT_REPONAME: 'b',
      CIRCLE_BRANCH: 'fix',
      CIRCLE_SHA1: commit,
      CIRCLE_PULL_REQUEST: 'https://git.example.com/a/b/pull/21',
    },
    { repository: 'a/b', ref: 'fix', commit, pullRequest: 21 },
  ],
  [
    'any other service, by variables of our own',
    {
      GATEHOUSE_REPOSITORY: 'a/b',
      GATEHOUSE_REF: 'fix',
      GATEHOUSE_COMMIT: commit,
      GATEHOUSE_PULL_REQUEST: '4',
      GATEHOUSE_BASE_REF: 'main',
      GATEHOUSE_RUN: 'nightly 3',
    },
    { repository: 'a/b', ref: 'fix', commit, pullRequest: 4, baseRef: 'main', run: 'nightly 3' },
  ],
  [
    'variables of our own outrank the service, empty ones do not',
    {
      GITHUB_ACTIONS: 'true',
      GITHUB_REPOSITORY: 'a/b',
      GITHUB_REF_NAME: 'x',
      GATEHOUSE_REPOSITORY: 'c',
      GATEHOUSE_REF: '',
    },
    { repository: 'c', ref: 'x' },
  ],
  [
    'a service that says there is no pull request',
    { JENKINS_URL: 'x', CHANGE_ID: 'false', GIT_BRANCH: 'main' },
    { ref: 'main' },
  ],
]

for (const [title, env, subject] of cases) {
  test(title, () => {
    const told = Object.entries(readCiEnvironment(env)).filter(([, value]) => value !== undefined)
    assert.deepEqual(Object.fromEntries(told), subject)
  })
}
