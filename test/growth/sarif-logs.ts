import { type Documents, object, times } from './generate.ts'

export const sarifLogs: Record<string, Documents> = {
  sarif: {
    name: 'a.sarif',
    whole: {
      results: (count) => log({ results: times(count, result) }),
      'results with taxa, and as many taxonomies': (count) =>
        log({
          results: times(count, (at) => ({
            ...result(at),
            taxa: [{ id: 'CWE-79', toolComponent: { name: `t${at}` } }],
          })),
          taxonomies: times(count, (at) => ({ name: `t${at}`, guid: `g${at}`, taxa: [{ id: 'CWE-79' }] })),
        }),
      'results and as many rules': (count) =>
        log({
          results: times(count, (at) => ({ ...result(at), ruleId: `r${at}` })),
          rules: times(count, (at) => ({ id: `r${at}`, properties: { tags: ['security'] } })),
        }),
      'results of rules that nobody describes': (count) =>
        log({
          results: times(count, (at) => ({ ...result(at), ruleId: `x${at}/y` })),
          rules: times(count, (at) => ({ id: `r${at}` })),
        }),
      'results and as many folders': (count) =>
        log({
          results: times(count, (at) => ({ ...result(at), message: { text: `in /work/f${at}/a.js and elsewhere` } })),
          originalUriBaseIds: object(count, (at) => [`B${at}`, { uri: `file:///work/f${at}/` }]),
        }),
      'results and as many invocations': (count) =>
        log({
          results: times(count, result),
          invocations: times(count, (at) => ({
            executionSuccessful: true,
            workingDirectory: { uri: `file:///work/w${at}/` },
          })),
          versionControlProvenance: times(count, (at) => ({ mappedTo: { uri: `file:///work/c${at}/` } })),
        }),
      'results and as many files that were not searched': (count) =>
        log({
          results: times(count, result),
          invocations: [
            {
              executionSuccessful: true,
              toolExecutionNotifications: times(count, (at) => ({
                level: 'error',
                message: { text: 'Not parsed.' },
                locations: [place(at)],
              })),
            },
          ],
        }),
      'results of rules that were called otherwise': (count) =>
        log({
          results: times(count, (at) => ({ ...result(at), ruleId: `r${at % 50}` })),
          rules: times(50, (at) => ({ id: `r${at}`, deprecatedIds: times(100, (was) => `was-${at}-${was}`) })),
        }),
      'results at places in each other': (count) =>
        log({
          results: times(count, (at) => ({
            ...result(at),
            locations: [{ physicalLocation: { artifactLocation: { index: at } } }],
          })),
          artifacts: times(count, (at) => ({ location: { uri: `a${at}.js` }, parentIndex: at - 1 })),
        }),
      'a result with much of everything': (count) =>
        log({
          results: [
            {
              ...result(0),
              locations: times(count, place),
              relatedLocations: times(count, place),
              codeFlows: [{ threadFlows: [{ locations: times(count, (at) => ({ location: place(at) })) }] }],
              partialFingerprints: object(count, (at) => [`f${at}`, 'x']),
              properties: { tags: times(count, (at) => `tag-${at}`), ...object(count, (at) => [`k${at}`, 'v']) },
            },
          ],
        }),
      'secrets with long messages': (count) =>
        log({
          results: [
            {
              ruleId: 'secret',
              message: { text: `${'='.repeat(count * 8)}a ${'key_'.repeat(count)}` },
              locations: [place(0)],
            },
          ],
          rules: [{ id: 'secret', properties: { tags: ['secret', 'CWE-798'] } }],
        }),
      'messages of links': (count) =>
        log({ results: [{ ruleId: 'a', message: { text: '[a](1)['.repeat(count) }, locations: [place(0)] }] }),
      'many runs': (count) =>
        JSON.stringify({
          version: '2.1.0',
          runs: times(count, (at) => ({ tool: { driver: { name: 't' } }, results: [result(at)] })),
        }),
    },
  },
}

function log(more: { rules?: object[]; [name: string]: unknown }): string {
  const { rules = [], ...run } = more
  return JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: 'tool', rules } }, ...run }] })
}

function place(at: number) {
  return {
    physicalLocation: {
      artifactLocation: { uri: `src/f${at}.js` },
      region: { startLine: at + 1, snippet: { text: `eval(x${at})` } },
    },
  }
}

function result(at: number) {
  return { ruleId: `rule-${at % 50}`, message: { text: `message ${at}` }, locations: [place(at)] }
}
