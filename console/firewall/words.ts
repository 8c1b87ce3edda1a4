/** This period against the one before. */
export function change(now: number, before: number): string {
  if (before === 0) return now === 0 ? 'as before' : 'none before'
  const percent = Math.round(((now - before) / before) * 100)
  if (percent === 0) return 'as before'
  return percent > 0 ? `${percent} % more than before` : `${-percent} % fewer than before`
}

type Choices = {
  ecosystem: string
  undetermined: string
  held: string
  minimumAgeHours: number
  maximumDataAgeHours: number
  ageExceptions: readonly string[]
}

/** What the settings of an ecosystem do to a build, in sentences. */
export function settingSentences(settings: Choices): string[] {
  const said = [
    settings.undetermined === 'block'
      ? 'A package of which nothing can be said is refused.'
      : 'A package of which nothing can be said comes in, with a warning.',
    settings.held === 'block'
      ? 'A version that an undecided advisory names is refused.'
      : 'A version that an undecided advisory names comes in, with a warning.',
  ]
  if (settings.minimumAgeHours > 0) {
    const rest = settings.ageExceptions.length > 0 ? `, but for ${settings.ageExceptions.length} named packages` : ''
    said.push(`Versions younger than ${settings.minimumAgeHours} hours are held back${rest}.`)
  } else said.push('New versions come in at once.')
  if (settings.maximumDataAgeHours > 0)
    said.push(
      `When advisories are older than ${settings.maximumDataAgeHours} hours, nothing can be said about any package.`,
    )
  return said
}

type Trial = {
  versions: number
  truncated: boolean
  refusedBefore: number
  refusedAfter: number
  unknownAge: number
}

/** What other settings would have made of what clients asked for, in sentences. */
export function trialSentences({ versions, truncated, refusedBefore, refusedAfter, unknownAge }: Trial): string[] {
  if (versions === 0) return ['No client asked for a package of it in the last 30 days.']
  const more = refusedAfter - refusedBefore
  const asked = `the ${truncated ? 'latest ' : ''}${versions.toLocaleString('en')} versions that clients asked for in the last 30 days`
  const said = [
    more === 0
      ? `Of ${asked}, as many would be refused as now: ${refusedAfter}.`
      : `Of ${asked}, ${Math.abs(more)} ${more > 0 ? 'more' : 'fewer'} would be refused: ${refusedAfter} instead of ${refusedBefore}.`,
  ]
  if (unknownAge > 0)
    said.push(`${unknownAge} of them were first asked for so lately that they may be too young; that is not known.`)
  return said
}

export type Client = 'npm' | 'pip' | 'maven'

/** The lines that point a client here. The token stays in the environment: files are copied and committed. */
export function clientLines(client: Client, origin: string, deployment: number): { file: string; text: string } {
  const base = `${origin}/firewall/${deployment}`
  if (client === 'npm') {
    const registry = `${base}/npm/`
    const variable = '$' + '{GATEHOUSE_TOKEN}'
    return {
      file: '.npmrc, in the project or in your home folder',
      text: `registry=${registry}\n${registry.replace(/^https?:/, '')}:_authToken=${variable}`,
    }
  }
  if (client === 'pip') {
    const [scheme, rest] = `${base}/pypi/simple/`.split('://')
    const variable = '$' + '{GATEHOUSE_TOKEN}'
    return {
      file: 'the environment of pip; for uv, UV_INDEX_URL in its place',
      text: `export PIP_INDEX_URL="${scheme}://__token__:${variable}@${rest}"`,
    }
  }
  const variable = '$' + '{env.GATEHOUSE_TOKEN}'
  const text = `<settings>
  <servers>
    <server><id>gatehouse</id><username>token</username><password>${variable}</password></server>
  </servers>
  <mirrors>
    <mirror><id>gatehouse</id><mirrorOf>*</mirrorOf><url>${base}/maven/</url></mirror>
  </mirrors>
</settings>`
  return { file: '~/.m2/settings.xml', text }
}
