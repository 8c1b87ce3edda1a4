import { recommendedRules } from '../../src/capabilities/firewall/rules/recommended-rules.ts'
import { type SignalName, signalNames } from '../../src/capabilities/firewall/rules/release-facts.ts'
import { hasSignal } from '../../src/capabilities/firewall/rules/rule.ts'
import { ruleSentence } from '../../src/capabilities/firewall/rules/rule-sentence.ts'
import type { JudgedRelease } from './false-holds.ts'
import type { Incident } from './incident.ts'
import type { RecordedReleases } from './recorded-releases.ts'
import type { Outcome, Replayed } from './replay.ts'

export type ReplayedIncident = { incident: Incident; replayed: Replayed }

const minuteMs = 60_000
const extensionRow =
  '| 2026-05-18 | Nx Console 18.95.0, an extension of VS Code | when the editor started | 11 to 18 min | nothing: extensions do not come through the firewall | | |'

/** `docs/incident-replay.md`, as a run of the replay produced it. */
export function incidentPage(
  all: readonly ReplayedIncident[],
  judged: readonly JudgedRelease[],
  recorded: RecordedReleases,
): string {
  return `# Incident replay

Made by \`npm run incidents\`; a test compares it with its own run.

Attacks of 2025 and 2026 on packages, played again: registries that say what the real ones said (versions, times, scripts, dependencies,
provenance), with harmless archives; the [recommended rules](firewall-rules.md) in force; **no advisory about any of them**; a clock that is
set to the minute before the registry took the packages away. npm, pnpm, pip, uv and Cargo then ask for them. With a range they get the
version from before the attack, with the exact version an error and nothing else. In a deployment without rules they get the attack: the test
checks that too.

| first version | attack | how it ran | gone after | held by | for | the next release |
|---|---|---|---|---|---|---|
${[...all.map(incidentRow), extensionRow].sort().join('\n')}

The rules are numbered as \`GET …/rules/recommended\` lists them. “The next release” is the first harmless one of the same package, judged a
minute after it came out and with the attack gone from the registry; where there was none, or none is known, it is invented and marked
with a star. All versions of an attack are held, not the first alone. What reports
leave out is our estimate: the hour where they give the day alone, sizes, the versions before, and when a version was taken away.

The age rule alone held ${listed(heldByAge(all))}: nothing in the metadata of their registries was unusual, or the registry's releases are
not compared (Cargo).

## Ordinary releases

How often do the same rules hold what is harmless? The releases since ${recorded.judgedSince.slice(0, 10)} of the packages that our own lockfile and the
sample lockfiles name most often, judged a minute after they came out. The age rule holds each of them for a day and is not counted.

| | npm | PyPI |
|---|---|---|
${orderedCounts(judged, recorded)}

Held of npm: ${heldNames(judged, 'npm')}.
Of PyPI: ${heldNames(judged, 'pypi')}.

What was recorded (${recorded.recordedOn}) has its limits. ${limits(recorded)}

## Rules

${recommendedRules.map((rule) => `${rule.id}. ${ruleSentence(rule)}`).join('\n')}

## Reports

${all.map(({ incident: { title, sources } }) => `- ${title}: ${sources.map((link) => `<${link}>`).join(', ')}`).join('\n')}
`
}

function incidentRow({ incident, replayed }: ReplayedIncident): string {
  const { title, name, attack, ran, removedAt, after } = incident
  const [first] = attack
  const versions =
    attack.length > 3
      ? `${first!.version} and ${attack.length - 1} more`
      : attack.map(({ version }) => version).join(', ')
  const gone = duration(Date.parse(removedAt) - Date.parse(first!.publishedAt))
  const [outcome] = replayed.attack
  return `| ${first!.publishedAt.slice(0, 10)} | ${title}: \`${name}\` ${versions} | ${ran} | ${gone} | ${why(outcome!)} | ${hours(outcome!)} | ${after.version}${after.isInvented ? '*' : ''}: rule ${replayed.afterwards.ruleId}, ${hours(replayed.afterwards)} |`
}

function why({ ruleId, because }: Outcome): string {
  return `rule ${ruleId}: ${because}`
}

function hours(outcome: Outcome): string {
  return outcome.hours % 24 === 0 && outcome.hours > 24 ? `${outcome.hours / 24} days` : `${outcome.hours} h`
}

function duration(ms: number): string {
  const minutes = Math.round(ms / minuteMs)
  const rest = minutes % 60
  return `${minutes >= 60 ? `${Math.floor(minutes / 60)} h` : ''}${rest > 0 ? ` ${rest} min` : ''}`.trim()
}

function heldByAge(all: readonly ReplayedIncident[]): string[] {
  const rule = recommendedRules.find(({ condition }) => condition === 'younger_than')
  return all
    .filter(({ replayed }) => replayed.attack.every(({ ruleId }) => ruleId === rule?.id))
    .map(({ incident }) => incident.name)
}

function orderedCounts(judged: readonly JudgedRelease[], recorded: RecordedReleases): string {
  const columns = (['npm', 'pypi'] as const).map((ecosystem) => {
    const own = judged.filter((one) => one.ecosystem === ecosystem)
    const share = (count: number) => `${count} (${((count / own.length) * 100).toFixed(1)} %)`
    const signal = (name: SignalName) => {
      if (!hasSignal(ecosystem, [name])) return ''
      if (!isTold(recorded, ecosystem, name)) return 'not told'
      return share(own.filter(({ signals }) => signals.includes(name)).length)
    }
    return [
      `${new Set(own.map(({ name }) => name)).size}`,
      `${own.length}`,
      `**${share(own.filter(({ heldHours }) => heldHours > 0).length)}**`,
      ...signalNames.map(signal),
    ]
  })
  const heads = [
    'packages with releases',
    'releases',
    'held longer than a day',
    ...signalNames.map((name) => `\`${name}\`, ${effectOf(name)}`),
  ]
  return heads.map((head, row) => `| ${head} | ${columns[0]![row]} | ${columns[1]![row]} |`).join('\n')
}

function effectOf(name: SignalName): string {
  const rule = recommendedRules.find(({ signals }) => signals?.includes(name))
  if (!rule) return 'in no recommended rule'
  return rule.effect === 'hold' ? `held for ${rule.holdHours! / 24} days` : 'a warning'
}

/** Whether what was recorded says enough for a signal to show at all. */
function isTold(recorded: RecordedReleases, ecosystem: 'npm' | 'pypi', signal: SignalName): boolean {
  if (ecosystem === 'pypi') return !['trust_lost', 'new_install_script', 'new_executable'].includes(signal)
  if (signal === 'scope_burst') return false
  const needs = { new_publisher: 'publisher', trust_lost: 'trust', sudden_size: 'unpackedKiB' } as const
  if (!(signal in needs)) return true
  const field = needs[signal as keyof typeof needs]
  return Object.values(recorded.npm).some(({ releases }) =>
    releases.some(([, , , more]) => more?.[field] !== undefined),
  )
}

function limits(recorded: RecordedReleases): string {
  const untold = signalNames.filter(
    (name) => name !== 'scope_burst' && hasSignal('npm', [name]) && !isTold(recorded, 'npm', name),
  )
  const npm =
    untold.length === 0
      ? ''
      : `The npm registry that it was recorded from is a mirror: it leaves out what ${listed(untold.map((name) => `\`${name}\``))} go by, and its times are when it
first had a version, usually some hours late; versions that it got much later are left out. `
  return `${npm}PyPI gives real times and sizes, and says nothing of attestations in the documents that were recorded.
No archives were recorded, so what only they show is not counted, nor are bursts of a scope, which take the times of its other packages.

So nobody knows from this how often these hold what is harmless: ${unmeasured(recorded, 'npm')} of npm; ${unmeasured(recorded, 'pypi')} of PyPI. Of the
shares above they can only add. Where that matters, let them watch first ([trying rules](firewall-rules.md#watching-and-trying)).`
}

function unmeasured(recorded: RecordedReleases, ecosystem: 'npm' | 'pypi'): string {
  const names = signalNames.filter((name) => hasSignal(ecosystem, [name]) && !isTold(recorded, ecosystem, name))
  return listed(names.map((name) => `\`${name}\``))
}

function heldNames(judged: readonly JudgedRelease[], ecosystem: string): string {
  const held = judged.filter((one) => one.ecosystem === ecosystem && one.heldHours > 0)
  const byName = [...Map.groupBy(held, ({ name }) => name)].sort(([, a], [, b]) => b.length - a.length)
  return byName.map(([name, all]) => `${name}${all.length > 1 ? ` ${all.length} times` : ''}`).join(', ')
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? '') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}
