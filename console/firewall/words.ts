import { readableAge } from '../../src/kernel/time/readable-age.ts'

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
      ? 'A package about which nothing is known is refused.'
      : 'A package about which nothing is known comes in, with a warning.',
    settings.held === 'block'
      ? 'A version that an undecided advisory names is refused.'
      : 'A version that an undecided advisory names comes in, with a warning.',
  ]
  if (settings.minimumAgeHours > 0) {
    const rest = settings.ageExceptions.length > 0 ? `, but for ${settings.ageExceptions.length} named packages` : ''
    said.push(`Versions younger than ${readableAge(settings.minimumAgeHours)} are held back${rest}.`)
  } else said.push('New versions come in at once.')
  if (settings.maximumDataAgeHours > 0)
    said.push(
      `When advisories are older than ${readableAge(settings.maximumDataAgeHours)}, nothing can be said about any package.`,
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
