import type { Mutation } from './mutation.ts'

const tracing = ['test/tracing.test.ts']
const exporter = ['src/outbound/otlp/span-exporter.test.ts']

/** What traces tell and to whom, and what the sample configurations let through. */
export const packaging: Mutation[] = [
  {
    id: 'trace-header-form',
    protection: 'A trace is named by hexadecimal digits and nothing else, wherever it is written.',
    file: 'src/kernel/tracing/trace-context.ts',
    find: '-([0-9a-f]{32})-',
    replace: "-([0-9a-f']{32,33})-",
    tests: ['src/kernel/tracing/trace-context.test.ts'],
  },
  {
    id: 'trace-ends-with-transaction',
    protection: 'A database connection forgets the trace with the transaction.',
    file: 'src/kernel/database/connections/session-name.ts',
    find: "then set_config('application_name', ${parameter}::text, true) end",
    replace: "then set_config('application_name', ${parameter}::text, false) end",
    tests: tracing,
  },
  {
    id: 'spans-without-addresses',
    protection: 'A span names the server that was asked, and not the address, which may hold a secret.',
    file: 'src/outbound/client/client.ts',
    find: "'server.address': url.hostname",
    replace: "'server.address': url.href",
    tests: tracing,
  },
  {
    id: 'spans-without-messages',
    protection: 'A span has the code of an error and not its message.',
    file: 'src/kernel/tracing/tracing.ts',
    find: "(error as Error)?.name ?? 'error')",
    replace: "(error as Error)?.message ?? 'error')",
    tests: ['src/kernel/tracing/tracing.test.ts'],
  },
  {
    id: 'spans-bounded',
    protection: 'Spans that nobody takes fill no memory.',
    file: 'src/outbound/otlp/span-exporter.ts',
    find: '    if (waiting.length >= mostWaiting) dropped++\n    else if',
    replace: '    if',
    tests: exporter,
  },
  {
    id: 'collector-headers-encrypted',
    protection: 'What signs in to the collector leaves the machine encrypted, or where the operator says.',
    file: 'src/settings/settings.ts',
    find: 'if (Object.keys(headers).length > 0 && !credentialRule(env)(text)) {',
    replace: 'if (false) {',
    tests: ['src/settings/settings.test.ts'],
  },
  {
    id: 'database-encryption-spelt',
    protection: 'An address of the database whose encryption is misspelt is refused.',
    file: 'src/settings/setting-values.ts',
    find: '  refuseMisspelt(name, text)\n',
    replace: '',
    tests: ['src/settings/settings.test.ts'],
  },
  {
    id: 'nginx-says-who-asks',
    protection: 'Behind nginx nobody chooses the address that they ask from.',
    file: 'deploy/nginx/gatehouse.conf',
    find: 'X-Forwarded-For $remote_addr',
    replace: 'X-Forwarded-For $proxy_add_x_forwarded_for',
    tests: ['test/deploy/reverse-proxies.test.ts'],
  },
  {
    id: 'haproxy-says-who-asks',
    protection: 'Behind HAProxy nobody chooses the address that they ask from.',
    file: 'deploy/haproxy/haproxy.cfg',
    find: '  http-request set-header X-Forwarded-For %[src]\n',
    replace: '',
    tests: ['test/deploy/reverse-proxies.test.ts'],
  },
  {
    id: 'release-signed',
    protection: 'The checksums of a release are signed.',
    file: 'scripts/release.ts',
    find: "  run('ssh-keygen', ['-Y', 'sign', '-q', '-n', 'gatehouse-release', '-f', key!, sums])\n",
    replace: '',
    tests: ['test/release.test.ts'],
    deep: true,
  },
  {
    id: 'client-on-node-20',
    protection: 'The client uses nothing that came after the oldest Node it says it runs on.',
    file: 'src/formats/sarif/log/location.ts',
    find: "folder.replace(/[.*+?^${}()|[\\]\\\\]/g, '\\\\$&')",
    replace: 'RegExp.escape(folder)',
    tests: ['test/client-package.test.ts'],
  },
]
