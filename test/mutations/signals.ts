import type { Mutation } from './mutation.ts'

const doorTests = ['test/archive-signals.test.ts']
const contentTests = ['src/proxy/archives/archive-contents.test.ts']
const listTests = ['src/capabilities/firewall/rules/rule-list.test.ts']
const exploitedTests = ['src/capabilities/vulnerabilities/exploited/exploited.test.ts']
const epssTests = ['src/capabilities/vulnerabilities/epss/epss.test.ts']

export const signals: Mutation[] = [
  {
    id: 'archive-before-served',
    protection: 'An artifact is looked into before it is served, where a rule asks for what is in it.',
    file: 'src/proxy/release-check.ts',
    find: "    if (verdict.refuse || verdict.lacks !== 'archive' || digest === undefined) return verdict\n",
    replace: '    if (verdict.refuse || digest !== undefined) return verdict\n',
    tests: doorTests,
  },
  {
    id: 'archive-remembered',
    protection: 'What an artifact shows counts for every later verdict on its version.',
    file: 'src/proxy/release-check.ts',
    find: '    await firewall.noteArchive(actor.deploymentId, { ecosystem, name, version, digest }, archive)\n',
    replace: '',
    tests: doorTests,
  },
  {
    id: 'archive-unreadable',
    protection: 'An archive that cannot be read is undetermined where a rule asks for what is in it.',
    file: 'src/capabilities/firewall/rules/rule-list.ts',
    find: "  return archive.isUnreadable ? { lacks: 'unreadable_archive' } : undefined\n",
    replace: '  return undefined\n',
    tests: doorTests,
  },
  {
    id: 'archive-lift',
    protection: 'An age gate does not give way to a release whose archive is unusual or unreadable.',
    file: 'src/capabilities/firewall/rules/rule-list.ts',
    find: "  if (facts.signals.length > 0 || archive?.isUnreadable || (archive?.signals.length ?? 0) > 0) return 'no'\n",
    replace: "  if (facts.signals.length > 0) return 'no'\n",
    tests: listTests,
  },
  {
    id: 'wheel-names-alike',
    protection: 'A wheel whose list of files names other files than it has is not believed.',
    file: 'src/proxy/archives/wheel-contents.ts',
    find: '    if (!entry || !isNamedAlike(source, entry)) return undefined\n',
    replace: '    if (!entry) return undefined\n',
    tests: contentTests,
  },
  {
    id: 'wheel-whole-list',
    protection: 'A wheel that has more files than its list says is not believed.',
    file: 'src/proxy/archives/wheel-contents.ts',
    find: '  return at === directory.end ? contents : undefined\n',
    replace: '  return contents\n',
    tests: contentTests,
  },
  {
    id: 'tarball-last-manifest',
    protection: 'Of two package.json in a tarball the one counts that npm is left with.',
    file: 'src/proxy/archives/tarball-contents.ts',
    find: "    else if (name === 'package.json') manifest = file.content\n",
    replace: "    else if (name === 'package.json') manifest ??= file.content\n",
    tests: contentTests,
  },
  {
    id: 'tarball-bomb',
    protection: 'A tarball is unpacked up to a limit.',
    file: 'src/proxy/archives/tarball-contents.ts',
    find: ', { maxOutputLength: mostBytes })',
    replace: ')',
    tests: contentTests,
  },
  {
    id: 'exploited-cut-off',
    protection: 'A list of exploited vulnerabilities that has lost entries is not taken over.',
    file: 'src/feeds/activate-list.ts',
    find: "  if (!force) refuseLoss('entries', { gone: gone.length, before: known.size })\n",
    replace: '',
    tests: exploitedTests,
  },
  {
    id: 'epss-bomb',
    protection: 'A list of EPSS scores is unpacked up to a limit.',
    file: 'src/capabilities/vulnerabilities/epss/score-list.ts',
    find: ', { maxOutputLength: limitBytes })',
    replace: ')',
    tests: epssTests,
  },
  {
    id: 'epss-corrupt',
    protection: 'A list of EPSS scores with a line that is none is not taken over.',
    file: 'src/capabilities/vulnerabilities/epss/score-list.ts',
    find: 'if (!isWhole || !/^CVE-\\d{4}-\\d{4,19}$/.test(cve))',
    replace: 'if (false)',
    tests: epssTests,
  },
  {
    id: 'own-names-apart',
    protection: 'Names that one deployment uses are not compared with those of another.',
    file: 'src/capabilities/firewall/rules/names/own-names.ts',
    find: '    const key = `${deploymentId} ${ecosystem}`\n',
    replace: '    const key = ecosystem\n',
    tests: ['src/capabilities/firewall/rules/names/own-names.test.ts'],
  },
  {
    id: 'settings-trial-people',
    protection: 'A trial of settings names people only to whoever may see whose clients asked.',
    file: 'src/capabilities/firewall/trial/settings-trial.ts',
    find: '        people: seesPeople ? people : [],\n',
    replace: '        people,\n',
    tests: ['src/capabilities/firewall/trial/settings-trial.test.ts'],
  },
]
