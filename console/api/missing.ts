import { Problem } from './problem.ts'

/** What a form lacks, said before anything is sent. */
export function missing(pointer: string, detail: string): Problem {
  return new Problem({
    status: -1,
    code: 'not_sent',
    title: 'Not sent',
    detail,
    requestId: '',
    errors: [{ pointer, detail }],
  })
}
