import type { Mutation } from './mutation.ts'

const neighbours = ['src/capabilities/scans/recording/neighbours.test.ts']
const shares = ['src/kernel/threads/fair-semaphore.test.ts']

/** What keeps one who writes much from holding up all others. */
export const writes: Mutation[] = [
  {
    id: 'uploads-queue-before-they-connect',
    protection: 'Uploads to one repository wait for each other without a connection of the database.',
    file: 'src/capabilities/scans/service.ts',
    find: 'recording.run(`${actor.deploymentId} ${asked.repository}`, work)',
    replace: 'recording.run(`${actor.requestId}`, work)',
    tests: neighbours,
  },
  {
    id: 'small-uploads-read-in-turn',
    protection: 'Of many small uploads to one repository that come at once, one is read at a time.',
    file: 'src/capabilities/scans/service.ts',
    find: 'if (asked.files.every(({ received }) => pool.readsHere(received)))',
    replace: 'if (!pool)',
    tests: neighbours,
  },
  {
    id: 'writers-shared-by-deployment',
    protection: 'A deployment gets at most three quarters of the connections that write.',
    file: 'src/kernel/threads/fair-semaphore.ts',
    find: 'if (free > 0 && heldBy(key) < share) take(key)',
    replace: 'if (free > 0) take(key)',
    tests: shares,
  },
  {
    id: 'writers-go-to-who-has-fewest',
    protection: 'A connection that becomes free goes to the deployment that holds the fewest.',
    file: 'src/kernel/threads/fair-semaphore.ts',
    find: '(!next || heldBy(one.key) < heldBy(next.key))',
    replace: '!next',
    tests: shares,
  },
  {
    id: 'uploads-read-what-stands',
    protection: 'An upload does not read what was fixed long ago.',
    file: 'src/capabilities/findings/ingest/reconcile-store.ts',
    find: '    where f.deployment_id = ${tx.deploymentId} and f.stream_id = ${streamId} and ${stands}`',
    replace: '    where f.deployment_id = ${tx.deploymentId} and f.stream_id = ${streamId}`',
    tests: ['src/capabilities/findings/ingest/history.test.ts'],
  },
  {
    id: 'uploads-few-round-trips',
    protection: 'An upload holds its repository for at most eight round trips.',
    file: 'src/capabilities/scans/service.ts',
    find: '    const [observed, matched] = await inStep(tx, [',
    replace: `    const inTurn = async (tx: Transaction, chains: any[]) => {
      const ends: any[] = []
      for (const chain of chains) ends.push(await chain(tx))
      return ends
    }
    const [observed, matched] = await inTurn(tx, [`,
    tests: ['src/capabilities/scans/recording/round-trips.test.ts'],
  },
  {
    id: 'memories-asked-behind-findings',
    protection: 'Memories are asked about new findings in the round trip that writes them.',
    file: 'src/capabilities/findings/ingest/reconcile.ts',
    find: 'const isSent = transitions.length + touched.size + fresh.length <= fewFindings',
    replace: 'const isSent = fewFindings < 0',
    tests: ['src/capabilities/scans/recording/round-trips.test.ts'],
  },
  {
    id: 'matched-while-stored',
    protection: 'What an upload brings is matched with advisories in the round trip that stores it.',
    file: 'src/capabilities/scans/recording/record-inventory.ts',
    find: 'if (!inventory.isSentAtOnce(read)) {',
    replace: 'if (inventory.isSentAtOnce(read)) {',
    tests: ['src/capabilities/scans/recording/round-trips.test.ts'],
  },
  {
    id: 'kept-answer-with-the-commit',
    protection: 'What is kept for an Idempotency-Key takes no round trip of its own.',
    file: 'src/kernel/database/database.ts',
    find: 'const kept = idempotencyKey ? [keptResult(tx, vault, actor, idempotencyKey, ordinal, result)] : []',
    replace: `const kept: Sql[] = []
        if (idempotencyKey) await tx.query(keptResult(tx, vault, actor, idempotencyKey, ordinal, result))`,
    tests: ['src/capabilities/scans/recording/round-trips.test.ts'],
  },
  {
    id: 'chains-go-in-step',
    protection: 'Chains of statements that run side by side take no more round trips than the longest of them.',
    file: 'src/kernel/database/in-step.ts',
    find: 'if (lanes.every(isReady)) sendHeld()',
    replace: 'if (lanes.length > 0) sendHeld()',
    tests: ['src/kernel/database/in-step.test.ts'],
  },
  {
    id: 'chains-end-with-their-transaction',
    protection: 'Where one of several chains of statements fails, the others have ended before the transaction does.',
    file: 'src/kernel/database/in-step.ts',
    find: 'await Promise.allSettled(chains.map((chain, at) => run(chain, lanes[at]!)))',
    replace: `await Promise.all(chains.map(async (chain, at) => {
    return { status: 'fulfilled', value: await run(chain, lanes[at]!) }
  }))`,
    tests: ['src/kernel/database/in-step.test.ts'],
  },
  {
    id: 'begun-before-the-commit',
    protection: 'A transaction that an overtaken process could not begin fails, also where it asks for nothing.',
    file: 'src/kernel/database/database.ts',
    find: '      await begun\n',
    replace: '',
    tests: ['test/version-fence.test.ts'],
  },
  {
    id: 'first-statements-with-the-begin',
    protection: 'The first statements of a transaction travel with its begin.',
    file: 'src/kernel/database/database.ts',
    find: '      begun.catch(() => {})\n',
    replace: '      await begun\n',
    tests: ['src/capabilities/repositories/repositories.test.ts'],
  },
  {
    id: 'named-findings-by-their-index',
    protection: 'What an upload names is found by its identity, by a plan of the first uploads too.',
    file: 'src/capabilities/findings/ingest/reconcile-store.ts',
    find: '      order by f.fingerprint offset 0) f`)',
    replace: '      offset 0) f`)',
    tests: ['src/capabilities/findings/ingest/history.test.ts'],
  },
  {
    id: 'small-documents-in-turns',
    protection: 'Of small documents that come together, one is read in a turn of the event loop.',
    file: 'src/kernel/threads/fair-turns.ts',
    find: '    if (queues.size > 0) setImmediate(next)\n    begin()',
    replace: '    if (queues.size > 0) next()\n    begin()',
    tests: ['src/kernel/threads/fair-turns.test.ts'],
  },
]
