import type { Mutation } from './mutation.ts'

const texts = ['console/ui/text/foreign-text.test.ts']

export const consolePages: Mutation[] = [
  {
    id: 'console-deceiving-characters',
    protection: 'Characters that change the direction of a foreign text or take no room are shown by their number.',
    file: 'console/ui/text/foreign-text.ts',
    find: '\\\\u200b-\\\\u200f\\\\u2028-\\\\u202e',
    replace: '\\\\u2028',
    tests: texts,
  },
  {
    id: 'console-https-links',
    protection: 'A foreign address becomes a link only over https.',
    file: 'console/ui/text/foreign-text.ts',
    find: "url.protocol === 'https:' && ",
    replace: '',
    tests: texts,
  },
  {
    id: 'console-onward',
    protection: 'After the sign-in, an address from outside leads nowhere but to the console.',
    file: 'console/app/address/onward.ts',
    find: "there.origin === 'https://here.invalid' && !target.includes('\\\\')",
    replace: 'there.origin',
    tests: ['console/app/address/address.test.ts'],
  },
  {
    id: 'console-unknown-answers',
    protection: 'Of an answer that is no problem document nothing is shown but its status.',
    file: 'console/api/problem.ts',
    find: 'word(given.detail) || `The server answered with status ${status} and no explanation.`',
    replace: 'word(given.detail) || text',
    tests: ['console/api/problem.test.ts'],
  },
  {
    id: 'console-registry-credentials',
    protection:
      'Credentials of a registry are not sent with an entry of the firewall, nor where the stored ones are kept.',
    file: 'console/settings/registries/registry.ts',
    find: 'return keep || firewall ? { config } : { config, ...credentialsOf(form) }',
    replace: 'return { config, ...credentialsOf(form) }',
    tests: ['console/settings/settings.test.ts'],
  },
  {
    id: 'console-chat-install-once',
    protection: 'For which deployment a browser left to install the chat app is remembered for one return only.',
    file: 'console/settings/chat/chat-events.ts',
    find: '  store.removeItem(place)\n',
    replace: '',
    tests: ['console/settings/settings.test.ts'],
  },
  {
    id: 'console-automation-starts-off',
    protection: 'A new automation does nothing before somebody has seen its trial and switched it on.',
    file: 'console/automations/words.ts',
    find: '  active: false,\n',
    replace: '  active: true,\n',
    tests: ['console/automations/words.test.ts'],
  },
  {
    id: 'try-automation-checks-values',
    protection: 'A draft of an automation with a value that no finding has is refused, not tried without effect.',
    file: 'src/capabilities/automations/rules/trial.ts',
    find: '    const errors = filterErrors(filters)\n',
    replace: '    const errors = filterErrors({ ...filters, conditions: [] })\n',
    tests: ['src/capabilities/automations/firing.test.ts'],
  },
  {
    id: 'console-no-advisories',
    protection: 'Where no advisories are loaded, nobody is told that nothing is vulnerable.',
    file: 'console/vulnerabilities/no-advisories.tsx',
    find: 'isError ? false : data?.feeds.every(({ records }) => records === 0)',
    replace: 'isError',
    tests: ['console/test/empty-pages.test.ts'],
  },
  {
    id: 'console-told-what-invited-people-see',
    protection: 'Whoever invites a person is told what that person will see.',
    file: 'console/settings/people/invitations.tsx',
    find: "newPeopleSee === 'all'",
    replace: "newPeopleSee !== 'all'",
    tests: ['console/test/empty-pages.test.ts'],
  },
]
