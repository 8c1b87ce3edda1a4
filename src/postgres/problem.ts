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
  EEXIST: 'it is not a folder. Choose another GATEHOUSE_DATA',
}

/** Turns a failed file operation that a person can do something about into a problem; passes everything else on. */
export function fromFileError(error: unknown): unknown {
  if (error instanceof PostgresProblem || !(error instanceof Error)) return error
  const { code, path, syscall } = error as NodeJS.ErrnoException
  // What Node says of a folder that it cannot make with those above it on a file system that is read-only.
  const isReadOnly = code === 'ENOENT' && syscall === 'mkdir'
  const advice = ADVICE[isReadOnly ? 'EROFS' : (code ?? '')]
  if (!advice) return error
  return new PostgresProblem(`Cannot use '${path ?? 'the data folder'}': ${advice}.`, { cause: error })
}

const SERVER_ADVICE: [pattern: RegExp, advice: string][] = [
  [/No space left on device|Check free disk space/, 'The disk is full. Free some space and start again.'],
  [/shared memory block .* still in use/, 'Another PostgreSQL server works on these files. Stop it and start again.'],
  [
    /Permission denied|invalid permissions|wrong ownership/,
    'Its files do not belong to the user it runs as. Give them back to that user.',
  ],
  [
    /could not look up effective user/,
    'This user has no entry in /etc/passwd, which PostgreSQL needs to make a database. Add one, or set DATABASE_URL.',
  ],
]
const OTHERWISE = 'Set DATABASE_URL to use a PostgreSQL server of your own.'

/** PostgreSQL's own last words, translated where we know what to do about them. */
export function fromServerOutput(what: string, output: string): PostgresProblem {
  const said = output.trim().split('\n').slice(-8).join('\n')
  const advice = SERVER_ADVICE.find(([pattern]) => pattern.test(said))?.[1] ?? OTHERWISE
  return new PostgresProblem(`${what}. ${advice} It said:\n${said || '(nothing)'}`)
}
