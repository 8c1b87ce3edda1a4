/** Work that was written down in a transaction and is done after it, at least once. */
export type Job = {
  id: number
  deploymentId: number
  kind: string
  payload: unknown
  /** 1 on the first try. */
  attempt: number
  /** The same on every try: what receivers are sent so that they do it once. */
  key: string
  /** Fires when the job has taken longer than any may, or the process is about to end. */
  signal: AbortSignal
}

/**
 * What a capability does about jobs of a kind. A job that throws is tried again later, then becomes a dead letter. It may
 * run twice: after a crash nobody knows how far it came.
 */
export type JobHandler = {
  kind: string
  run(job: Job): Promise<void>
}

/** Thrown by a handler where another try cannot help. The message is shown to whoever looks after the deployment. */
export class Permanent extends Error {
  override name = 'Permanent'
}

/** Thrown by a handler where another try may help. The message is shown to whoever looks after the deployment. */
export class Transient extends Error {
  override name = 'Transient'
  /** What the receiver asked for, if it did: the next try comes no sooner, within reason. */
  readonly retryAfterSeconds: number | undefined

  constructor(message: string, retryAfterSeconds?: number) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/**
 * Thrown by a handler that did nothing yet because its time has not come. It comes again after so many seconds, and the try does
 * not count. The message is shown to whoever looks after the deployment.
 */
export class Postponed extends Error {
  override name = 'Postponed'
  readonly seconds: number

  constructor(message: string, seconds: number) {
    super(message)
    this.seconds = seconds
  }
}

/**
 * Work without a tenant that is done now and then, by one process at a time. The signal fires when the process is about to end: what
 * may take long and can be begun again gives up.
 */
export type Periodic = { name: string; everySeconds: number; run(signal?: AbortSignal): Promise<void> }
