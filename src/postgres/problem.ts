/** What went wrong, in words for the person who started Gatehouse. Anything else that is thrown here is a bug. */
export class PostgresProblem extends Error {
  override name = 'PostgresProblem'
}

const ADVICE: Record<string, string> = {
  ENOSPC: 'the disk is full. Free some space and start again',
  EDQUOT: 'the disk quota is used up. Free some space and start again',
  EACCES: 'permission denied. Give the user that runs Gatehouse access to it, or choose another GATEHOUSE_DATA',
  EPERM: 'not permitted. Give the user that runs Gatehouse access to it, or choose another GATEHOUSE_DATA',
  EROFS: 'the file system is read-only. Choose another GATEHOUSE_DATA',
  ENOTDIR: 'a part of the path is not a folder. Choose another GATEHOUSE_DATA',
}

/** Turns a failed file operation that a person can do something about into a problem; passes everything else on. */
export function fromFileError(error: unknown): unknown {
  if (error instanceof PostgresProblem || !(error instanceof Error)) return error
  const { code, path } = error as NodeJS.ErrnoException
  const advice = ADVICE[code ?? '']
  if (!advice) return error
  return new PostgresProblem(`Cannot use '${path ?? 'the data folder'}': ${advice}.`, { cause: error })
}

/** PostgreSQL's own last words, translated where we know what to do about them. */
export function fromServerOutput(what: string, output: string): PostgresProblem {
  const said = output.trim().split('\n').slice(-8).join('\n')
  const advice = /No space left on device/.test(said)
    ? 'The disk is full. Free some space and start again.'
    : /Permission denied|invalid permissions|wrong ownership/.test(said)
      ? 'Its files do not belong to the user it runs as. Give them back to that user.'
      : /could not look up effective user/.test(said)
        ? 'This user has no entry in /etc/passwd, which PostgreSQL needs once to make a database. Add one, or set DATABASE_URL.'
        : 'Set DATABASE_URL to use a PostgreSQL server of your own.'
  return new PostgresProblem(`${what}. ${advice} It said:\n${said || '(nothing)'}`)
}
