/** What can be decided about an issue or a finding, and why. */
export const triageStates = [
  'TRIAGE_STATE_OPEN',
  'TRIAGE_STATE_REOPENED',
  'TRIAGE_STATE_REVIEWING',
  'TRIAGE_STATE_FIXING',
  'TRIAGE_STATE_PROVISIONALLY_IGNORED',
  'TRIAGE_STATE_IGNORED',
  'TRIAGE_STATE_FIXED',
] as const
export type TriageState = (typeof triageStates)[number]

export const triageReasons = [
  'TRIAGE_REASON_UNSPECIFIED',
  'TRIAGE_REASON_FALSE_POSITIVE',
  'TRIAGE_REASON_ACCEPTABLE_RISK',
  'TRIAGE_REASON_NO_TIME',
] as const
export type TriageReason = (typeof triageReasons)[number]
