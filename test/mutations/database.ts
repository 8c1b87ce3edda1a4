import type { Mutation } from './mutation.ts'

const session = 'src/kernel/secure-session.ts'
const chain = 'src/kernel/audit-chain.ts'
const verify = 'src/capabilities/audit/verify.ts'
const migration = 'migrations/0030_keyed_audit_chain.sql'
const poolers = ['test/poolers.test.ts']
const rights = ['test/database-rights.test.ts']
const logins = ['test/service-login.test.ts']
const chainTest = ['src/capabilities/audit/chain.test.ts']
const auditTest = ['src/capabilities/audit/audit.test.ts']

const foreignLog = `  if deployment is distinct from current_deployment() then
    raise insufficient_privilege using message = 'the audit log of another deployment';
  end if;
`

/** Connections, roles and the audit log. Those of `poolers` need PgBouncer. */
export const database: Mutation[] = [
  {
    id: 'connection-role-verified',
    protection: 'A connection that does not work as its role is refused.',
    file: session,
    find: 'if (found.role !== role)',
    replace: "if (found.role === '')",
    tests: poolers,
  },
  {
    id: 'connection-role-bound',
    protection: 'A working role that may bypass row-level security is refused.',
    file: session,
    find: 'if (found.unbound)',
    replace: "if (found.role === '')",
    tests: logins,
  },
  {
    id: 'connection-role-owns-nothing',
    protection: "A working role with the rights of the tables' owner is refused.",
    file: session,
    find: 'if (found.owner)',
    replace: "if (found.role === '')",
    tests: logins,
  },
  {
    id: 'connection-without-tenant',
    protection: 'A new connection that is bound to a tenant already is refused.',
    file: session,
    find: "if (found.tenant !== '')",
    replace: "if (found.role === '')",
    tests: poolers,
  },
  {
    id: 'connection-row-security',
    protection: 'A connection with row_security off is refused.',
    file: session,
    find: 'if (!found.rowSecurity)',
    replace: "if (found.role === '')",
    tests: poolers,
  },
  {
    id: 'statement-timeout',
    protection: 'A statement ends after 30 seconds.',
    file: session,
    find: '    set statement_timeout = ${wanted.statementTimeoutMs};\n',
    replace: '',
    tests: rights,
  },
  {
    id: 'statement-timeout-verified',
    protection: 'A connection without the time-out of statements is refused.',
    file: session,
    find: 'if (found.statementTimeoutMs !== wanted.statementTimeoutMs)',
    replace: "if (found.role === '')",
    tests: poolers,
  },
  {
    id: 'idle-timeout-verified',
    protection: 'A connection without the time-out of idle transactions is refused.',
    file: session,
    find: 'if (found.idleInTransactionTimeoutMs !== wanted.idleInTransactionTimeoutMs)',
    replace: "if (found.role === '')",
    tests: poolers,
  },
  {
    id: 'read-only-verified',
    protection: 'A connection for reading that could write is refused.',
    file: session,
    find: 'if (found.readOnly !== wanted.readOnly)',
    replace: "if (found.role === '')",
    tests: poolers,
  },
  {
    id: 'connection-reset',
    protection: 'What an earlier client left on a pooled connection is discarded.',
    file: session,
    find: 'reset all; deallocate all;',
    replace: '',
    tests: poolers,
  },
  {
    id: 'connection-temporary-tables',
    protection: 'Temporary tables that an earlier client planted on a pooled connection are gone.',
    file: session,
    find: ' discard temp;',
    replace: '',
    tests: poolers,
  },
  {
    id: 'transaction-pooling-refused',
    protection: 'A pooler that mixes up sessions is refused.',
    file: 'src/kernel/session-pooling.ts',
    find: 'if (before !== after || before === meanwhile)',
    replace: "if (before === '')",
    tests: poolers,
  },
  {
    id: 'unsafe-connection-stops-service',
    protection: 'While a connection of any kind cannot be verified, nothing is served.',
    file: 'src/kernel/pulse.ts',
    find: '    if (unsafe) throw translate(unsafe)\n',
    replace: '',
    tests: poolers,
  },
  {
    id: 'service-login-verified',
    protection: 'A login for service that owns tables or could get more rights is refused.',
    file: session,
    find: 'if (serviceLogin && found.loginIsMore)',
    replace: "if (serviceLogin && found.role === '')",
    tests: logins,
  },
  {
    id: 'embedded-without-superuser',
    protection: 'The embedded database is served by logins that own nothing.',
    file: 'src/open-database.ts',
    find: 'connection: server.service',
    replace: 'connection: server.connection',
    tests: logins,
  },
  {
    id: 'visible-repository-security-invoker',
    protection: 'The view of visible repositories shows a tenant its own rows alone.',
    file: 'migrations/0002_repositories_and_teams.sql',
    find: 'with (security_invoker = true) ',
    replace: '',
    tests: rights,
  },
  {
    id: 'claim-jobs-revoked',
    protection: 'Jobs are handed out to the worker role alone.',
    file: 'migrations/0011_jobs.sql',
    find: 'revoke execute on function claim_jobs from public;\n',
    replace: '',
    tests: rights,
  },
  {
    id: 'worker-without-credentials',
    protection: 'The worker role, which works across deployments, reads no credential.',
    file: migration,
    find: 'grant select (deployment_id, id, connected,',
    replace: 'grant select (deployment_id, id, api_token, connected,',
    tests: rights,
  },
  {
    id: 'audit-head-own-deployment',
    protection: "The end of another deployment's audit log is not told and not held.",
    file: migration,
    find: `${foreignLog}  insert into audit_head`,
    replace: '  insert into audit_head',
    tests: auditTest,
  },
  {
    id: 'audit-append-own-deployment',
    protection: "Nothing is written to another deployment's audit log.",
    file: migration,
    find: `${foreignLog}  insert into audit_event`,
    replace: '  insert into audit_event',
    tests: auditTest,
  },
  {
    id: 'audit-chain-keyed',
    protection: 'The hashes of the audit log cannot be made without the key.',
    file: chain,
    find: "createHmac('sha256', key).update('event\\0')",
    replace: "createHash('sha256').update('event\\0')",
    tests: chainTest,
  },
  {
    id: 'audit-head-sealed',
    protection: 'An earlier end of the audit log cannot be made the current one.',
    file: verify,
    find: 'if (!isSealed(keys, db.deploymentId, head))',
    replace: 'if (head.seq < 0)',
    tests: chainTest,
  },
  {
    id: 'audit-break-recorded',
    protection: 'An end of the audit log that the server did not leave is recorded in the log for good.',
    file: chain,
    find: 'if (!isOurs)',
    replace: 'if (head.seq < 0)',
    tests: chainTest,
  },
  {
    id: 'audit-unkeyed-only-before-the-key',
    protection: 'Events without a key are taken only from before there was one.',
    file: verify,
    find: "    if (stored.seq >= (head.keyedFrom ?? 0)) return 'it is not keyed'\n",
    replace: '',
    tests: chainTest,
  },
  {
    id: 'audit-exported-heads',
    protection: 'A log that does not hold what was exported of it is found.',
    file: verify,
    find: "if (known.has(seq) && known.get(seq) !== hash.toString('hex'))",
    replace: 'if (seq < 0)',
    tests: chainTest,
  },
  {
    id: 'audit-finding-exports',
    protection: 'Who exports findings is in the audit log.',
    file: 'src/capabilities/findings/export.ts',
    find: "tx.audit({ action: 'findings.export', target: 'findings', detail: { format, filter } })",
    replace: 'void tx',
    tests: auditTest,
  },
  {
    id: 'audit-sbom-exports',
    protection: 'Who exports a bill of materials is in the audit log.',
    file: 'src/capabilities/dependencies/service.ts',
    find: "tx.audit({ action: 'sbom.export', target: `repository:${repositoryId}`, detail: { format } })",
    replace: 'void tx',
    tests: auditTest,
  },
]
