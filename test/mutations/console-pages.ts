import type { Mutation } from './mutation.ts'

const texts = ['console/ui/foreign-text.test.ts']

export const consolePages: Mutation[] = [
  {
    id: 'console-deceiving-characters',
    protection: 'Characters that change the direction of a foreign text or take no room are shown by their number.',
    file: 'console/ui/foreign-text.ts',
    find: '\\\\u200b-\\\\u200f\\\\u2028-\\\\u202e',
    replace: '\\\\u2028',
    tests: texts,
  },
  {
    id: 'console-https-links',
    protection: 'A foreign address becomes a link only over https.',
    file: 'console/ui/foreign-text.ts',
    find: "url.protocol === 'https:' && ",
    replace: '',
    tests: texts,
  },
  {
    id: 'console-onward',
    protection: 'After the sign-in, an address from outside leads nowhere but to the console.',
    file: 'console/app/onward.ts',
    find: "there.origin === 'https://here.invalid' && !target.includes('\\\\')",
    replace: 'there.origin',
    tests: ['console/app/address.test.ts'],
  },
  {
    id: 'console-unknown-answers',
    protection: 'Of an answer that is no problem document nothing is shown but its status.',
    file: 'console/api/problem.ts',
    find: 'word(given.detail) || `The server answered with status ${status} and no explanation.`',
    replace: 'word(given.detail) || text',
    tests: ['console/api/problem.test.ts'],
  },
]
