/**
 * Which part of the source each table belongs to: a capability, or a layer. Only the owner changes a table. Whoever needs what is in
 * it asks the owner's public.ts, which may give parts of a statement where a join must be one.
 */
export const owners: Record<string, string[]> = {
  deployments: ['deployment'],
  people: ['person', 'membership', 'invitation', 'password_reset'],
  sessions: ['session', 'signing_key', 'known_network', 'sign_in_attempt', 'failed_sign_in', 'account_event'],
  tokens: ['api_token'],
  repositories: ['repository', 'tag', 'repository_tag', 'visible_repository'],
  teams: ['team', 'team_member', 'team_repository', 'team_pattern'],
  'service-accounts': ['service_account'],
  'ci-trusts': ['ci_trust', 'ci_repository'],
  'sign-in-providers': ['sign_in_provider', 'sign_in_identity', 'sign_in_flow', 'logout_token'],
  discussions: ['discussion_entry', 'subject_assignment'],
  views: ['saved_view', 'person_preference'],
  inventory: ['inventory', 'lockfile', 'dependency', 'package', 'package_version', 'licence', 'bill_statement'],
  scans: ['scan'],
  findings: [
    'finding',
    'finding_rule',
    'finding_stream',
    'finding_history',
    'finding_tally',
    'finding_count',
    'export_ticket',
    'finding_block',
    'finding_unsigned',
  ],
  policies: ['policy', 'policy_rule'],
  ruleboards: ['ruleboard', 'ruleboard_repository'],
  memories: ['memory'],
  issues: ['issue', 'issue_scope', 'issue_scope_repository', 'issue_activity', 'issue_count'],
  automations: ['automation', 'automation_action', 'automation_run', 'mail_hour'],
  ticketing: ['ticketing_instance', 'ticket', 'ticket_subject'],
  chat: ['chat_installation', 'chat_oauth_state', 'chat_subscription'],
  'scm-apps': ['scm_app', 'scm_app_certificate'],
  cloudsec: ['cloudsec_credential'],
  vulnerabilities: [
    'vulnerability',
    'vulnerability_range',
    'vulnerability_feed',
    'vulnerability_state',
    'vulnerability_deployment',
  ],
  firewall: [
    'advisory',
    'advisory_feed',
    'advisory_state',
    'firewall_deployment',
    'firewall_override',
    'firewall_choice',
    'firewall_held',
    'inventory_snapshot',
  ],
  'firewall-activity': [
    'firewall_artifact',
    'firewall_refusal',
    'firewall_second',
    'firewall_culprit',
    'firewall_total',
    'firewall_activity',
    'firewall_fetch',
    'firewall_exposure',
    'firewall_journal',
  ],
  'package-managers': ['package_manager_config'],
  'package-names': ['package_claim', 'package_owner', 'owned_package'],
  audit: ['audit_event', 'audit_head'],
  kernel: ['schema_migration', 'schema_fence', 'idempotency_key', 'outbox', 'change_notice'],
  jobs: ['periodic_task'],
  backup: ['last_backup'],
  vault: ['data_key', 'master_key'],
}

/** What everybody may read, and why. */
export const readByAll: Record<string, string> = {
  deployment: 'jobs and feeds go through all deployments',
  person: 'the name beside the id of a person',
  repository: 'the name beside the id of a repository, and which repositories a filter takes',
}

/** Who besides its owner reads a table, and why it is not asked for. */
export const readers: { reader: string; tables: string[]; why: string }[] = [
  { reader: '', tables: ['membership'], why: 'the first start looks whether anybody is there yet' },
  { reader: 'cli', tables: ['membership'], why: 'the administrator makes a token for a member' },
  { reader: 'tokens', tables: ['membership'], why: 'the role is read with the token, at every request' },
  { reader: 'sessions', tables: ['membership'], why: 'the roles are read with the session, at every request' },
  { reader: 'teams', tables: ['membership'], why: 'members of teams are listed with their roles' },
  { reader: 'automations', tables: ['membership'], why: 'mail goes to those who are still members when it is sent' },
  { reader: 'firewall', tables: ['membership', 'scan'], why: 'a snapshot keeps who uploaded it, and in what role' },
  { reader: 'audit', tables: ['api_token'], why: 'the name beside the id of a token' },
  { reader: 'firewall-activity', tables: ['api_token'], why: 'the name beside the id of a token' },
  { reader: 'scans', tables: ['tag', 'repository_tag'], why: 'automations are told the tags of what was scanned' },
  { reader: 'memories', tables: ['tag', 'repository_tag'], why: 'a memory may be about tags' },
  {
    reader: 'repositories',
    tables: ['scan', 'team', 'team_repository'],
    why: 'a page of repositories is sorted by its last scan and shown with its teams, in one statement',
  },
  {
    reader: 'findings',
    tables: ['scan', 'tag', 'repository_tag', 'team', 'team_repository', 'ticket_subject'],
    why: 'filters and facets of a search are one statement with it',
  },
  {
    reader: 'reports',
    tables: ['finding', 'finding_rule', 'finding_history', 'finding_count'],
    why: 'reports are sums over the counters of findings, and lists of the findings behind them',
  },
  { reader: 'reports', tables: ['tag', 'repository_tag', 'team'], why: 'reports are narrowed by tags and teams' },
  {
    reader: 'memories',
    tables: ['finding', 'finding_rule', 'finding_history'],
    why: 'memories are replayed over findings, and suggested from what people decided about them',
  },
  {
    reader: 'vulnerabilities',
    tables: ['firewall_deployment'],
    why: 'one mark for how far both kinds of advisories are known',
  },
  {
    reader: 'firewall',
    tables: ['firewall_artifact'],
    why: 'of changed advisories only those about what was asked for matter',
  },
  { reader: 'events', tables: ['change_notice'], why: 'streams go on from where a client was' },
  {
    reader: 'events',
    tables: ['membership', 'session', 'api_token'],
    why: 'a stream ends with what it was opened with',
  },
  { reader: 'discussions', tables: ['membership'], why: 'findings are given to people of the deployment alone' },
  {
    reader: 'search',
    tables: ['finding', 'finding_rule', 'membership'],
    why: 'five of each kind within 50 ms, one statement each',
  },
  { reader: 'system', tables: ['data_key'], why: 'operators see how many keys there are, and how old' },
  { reader: 'reports', tables: ['team_repository'], why: 'trends are broken down by team' },
  { reader: 'firewall', tables: ['firewall_exposure'], why: 'what needs a decision is counted with what is held' },
  {
    reader: 'findings',
    tables: ['subject_assignment'],
    why: 'who has a finding is shown, filtered and counted with it',
  },
  {
    reader: 'domain',
    tables: ['subject_assignment'],
    why: 'the one condition that findings and issues are filtered by',
  },
  { reader: 'people', tables: ['service_account'], why: 'the accounts of programs are not people' },
  {
    reader: 'tokens',
    tables: ['service_account'],
    why: 'what the account may do is read with the token, at every request',
  },
  { reader: 'service-accounts', tables: ['api_token'], why: 'accounts are listed with how many tokens work' },
  {
    reader: 'ci-trusts',
    tables: ['membership', 'service_account'],
    why: 'a job gets the role and scopes of its account',
  },
  {
    reader: 'sign-in-providers',
    tables: ['membership'],
    why: 'which memberships a session reaches is decided with the provider that it began at',
  },
  { reader: 'automations', tables: ['outbox'], why: 'runs are shown with the state of their jobs' },
]

/** Who besides its owner changes a table, and why. */
export const writers: { writer: string; tables: string[]; why: string }[] = [
  { writer: 'jobs', tables: ['outbox'], why: 'the kernel adds jobs, the worker takes them' },
  { writer: 'dead-letters', tables: ['outbox'], why: 'people retry and discard jobs that failed for good' },
  { writer: 'service-accounts', tables: ['membership'], why: 'an account belongs to its deployment, as a person does' },
  { writer: 'ci-trusts', tables: ['api_token'], why: 'tokens of jobs come and go with the trust' },
  { writer: 'firewall-activity', tables: ['firewall_deployment'], why: 'retention notes how far it has come' },
]
