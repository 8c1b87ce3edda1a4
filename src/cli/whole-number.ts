import { InvalidArgumentError } from 'commander'

/** Reads the value of an option. */
export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('A whole number is needed.')
  return Number(text)
}
