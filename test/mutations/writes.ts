import type { Mutation } from './mutation.ts'

const neighbours = ['src/capabilities/scans/recording/neighbours.test.ts']
const shares = ['src/kernel/threads/fair-semaphore.test.ts']

/** What keeps one who writes much from holding up all others. */
export const writes: Mutation[] = [
  {
    id: 'uploads-queue-before-they-connect',
    protection: 'Uploads to one repository wait for each other without a connection of the database.',
    file: 'src/capabilities/scans/service.ts',
    find: 'await recording.run(`${actor.deploymentId} ${request.repository}`, () =>',
    replace: 'await recording.run(`${actor.requestId}`, () =>',
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
    find: "    fire?.expect?.(tx, 'TRIGGER_SOURCE_SCAN')\n",
    replace: '',
    tests: ['src/capabilities/scans/recording/round-trips.test.ts'],
  },
]
