import type { DemoRule } from './rule.ts'

const common = {
  tool: 'gitleaks',
  help: 'It is in the history of the repository for good: revoke it, then read it from the environment.',
  cwe: 'CWE-798',
  owasp: 'A07:2021 - Identification and Authentication Failures',
  confidence: 'HIGH',
  stacks: ['npm', 'pypi', 'maven', 'gomod'],
} satisfies Partial<DemoRule>

// Made up, and put together here, so that scanners of this repository do not stumble over them.
export const secretRules: DemoRule[] = [
  {
    ...common,
    id: 'aws-access-token',
    title: 'A cloud access key',
    score: 9.3,
    often: 1,
    code: `
. {thing}:
.   bucket: meadow-{thing}-{verb}
!   access_key_id: ${'AKIA'}{NONCE16}`,
  },
  {
    ...common,
    id: 'github-pat',
    title: 'A personal access token',
    score: 8.2,
    often: 1,
    code: `
. # {verb} {thing}
! token=${'ghp_'}{NONCE36}`,
  },
  {
    ...common,
    id: 'slack-webhook-url',
    title: 'The address of a chat webhook',
    score: 5.4,
    often: 2,
    code: `
. {thing}_channel = "#{thing}"
! {thing}_{verb}_hook = "https://hooks.chat.example/services/T0MEADOW/{NONCE16}"`,
  },
  {
    ...common,
    id: 'generic-api-key',
    title: 'Something like an API key',
    score: 6.5,
    confidence: 'LOW',
    often: 2,
    code: `
. [{thing}]
! {verb}_api_key = "{NONCE36}"`,
  },
]
