/** In the unit that people read: nobody counts a week in hours. */
export function readableAge(hours: number): string {
  if (hours > 24 && hours % 24 === 0) return `${hours / 24} days`
  return hours === 1 ? '1 hour' : `${hours} hours`
}
