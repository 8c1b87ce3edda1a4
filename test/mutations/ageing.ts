import type { Mutation } from './mutation.ts'

const audit = ['src/capabilities/audit/retention.test.ts']
const scans = ['src/capabilities/scans/retention.test.ts']
const moments = ['test/point-in-time.test.ts']

/** What keeps old data from going unseen, too soon or with what is still needed; and archives of WAL from being taken for whole. */
export const ageingMutations: Mutation[] = [
  {
    id: 'replaced-scans-by-their-ref',
    protection: 'Old scans are removed at a cost of their own number, however many their repository has.',
    file: 'src/capabilities/scans/retention-store.ts',
    find: ' and later.pull_request = 0 and later.ref = old.ref) end',
    replace: " and later.pull_request = 0 and later.ref || '' = old.ref) end",
    tests: ['test/fresh-database.test.ts'],
  },
  {
    id: 'audit-anchor-sealed',
    protection: 'Who has the database alone cannot say that the server removed events.',
    file: 'src/capabilities/audit/verify.ts',
    find: 'if (anchor && !isAnchored(keys, db.deploymentId, anchor))',
    replace: 'if (anchor && anchor.seq < 0)',
    tests: audit,
  },
  {
    id: 'audit-retention-checks-first',
    protection: 'An event that was changed is not cleared away.',
    file: 'src/capabilities/audit/retention.ts',
    find: '    if (broken) {',
    replace: '    if (broken && upTo < 0) {',
    tests: audit,
  },
  {
    id: 'audit-retention-waits-for-receivers',
    protection: 'Events that a receiver has still to take stay.',
    file: 'src/capabilities/audit/retention.ts',
    find: 'taken ?? head.seq)',
    replace: 'head.seq)',
    tests: audit,
  },
  {
    id: 'audit-forget-keeps-what-is-young',
    protection: 'Whoever asks for it, events of the last 31 days stay.',
    file: 'migrations/0104_audit_retention.sql',
    find: "last is null or last.at > clock_timestamp() - interval '31 days'",
    replace: 'last is null',
    tests: audit,
  },
  {
    id: 'audit-forget-own-log',
    protection: 'Nobody removes events of another deployment.',
    file: 'migrations/0104_audit_retention.sql',
    find: 'if deployment is distinct from current_deployment() then',
    replace: 'if false then',
    tests: audit,
  },
  {
    id: 'scan-retention-keeps-what-findings-stand-on',
    protection: 'A scan that findings were last read from stays.',
    file: 'src/capabilities/scans/retention-store.ts',
    find: 'where stream.repository_id = old.repository_id and stream.scan_id = old.id)',
    replace: 'where stream.repository_id = old.repository_id and stream.scan_id < 0)',
    tests: scans,
  },
  {
    id: 'scan-retention-keeps-inventories',
    protection: 'A scan that an inventory was read from stays.',
    file: 'src/capabilities/scans/retention-store.ts',
    find: 'where i.repository_id = old.repository_id and i.scan_id = old.id)',
    replace: 'where i.repository_id = old.repository_id and i.scan_id < 0)',
    tests: scans,
  },
  {
    id: 'archive-refuses-damage',
    protection: 'A damaged segment ends a recovery, and is not taken for the end of the archive.',
    file: 'src/postgres/archive/wal-archive.ts',
    find: '|| exit 126',
    replace: '|| true',
    tests: moments,
  },
  {
    id: 'archive-refuses-gaps',
    protection: 'A missing segment is not taken for the end of the archive.',
    file: 'src/backup/point-in-time/restore-moment.ts',
    find: '  if (gap && !until) throw missing(gap)\n',
    replace: '',
    tests: moments,
  },
  {
    id: 'archive-never-overwrites',
    protection: 'A segment in the archive is not written over by another one.',
    file: 'src/postgres/archive/wal-archive.ts',
    find: 'if test -f "$f"; then gzip -dc "$f" | cmp -s - "%p"; ',
    replace: 'if false; then true; ',
    tests: moments,
  },
  {
    id: 'recovery-leaves-no-part',
    protection: 'A recovery that fails leaves no database behind.',
    file: 'src/postgres/archive/recover.ts',
    find: "  if (status !== 0 || !said.some((line) => line.startsWith('archive recovery complete'))) throw new RecoveryFailed(said)\n",
    replace: '',
    tests: moments,
  },
  {
    id: 'archive-keeps-what-days-need',
    protection: 'The newest base before the days that are kept stays, and everything after it.',
    file: 'src/backup/point-in-time/archive-schedule.ts',
    find: 'for (const { file } of bases.slice(0, needed))',
    replace: 'for (const { file } of bases.slice(0, needed + 1))',
    tests: moments,
  },
]
