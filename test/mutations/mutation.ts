/**
 * A protection, and the edit that takes it out. `npm run test:mutations` makes each edit in a copy of the source, one at a
 * time, and expects the named tests to fail: a protection that no test misses is not one.
 */
export type Mutation = {
  /** Stable, in kebab case: the threat model names the protection by it. */
  id: string
  /** What it protects, in one sentence. */
  protection: string
  file: string
  /** The exact text to take out. It occurs once in the file. */
  find: string
  replace: string
  /** The test files that go red without it. */
  tests: string[]
  /** They are of those that `npm run test:deep` alone runs. */
  deep?: true
}
