import type { Rating } from '../../../formats/cvss/score.ts'

/** As the tables of findings number them, from the least. They are stored: never give one another meaning. */
const ratings: readonly Rating[] = ['info', 'low', 'medium', 'high', 'critical']

export const severityCode = (rating: Rating): number => ratings.indexOf(rating) + 1
export const severityWord = (code: number): Rating => ratings[code - 1]!
export const severityName = (code: number): string => `SEVERITY_${severityWord(code).toUpperCase()}`
export const severityNames = ratings.map((_, at) => severityName(at + 1))
