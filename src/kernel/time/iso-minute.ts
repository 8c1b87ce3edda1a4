const minuteMs = 60_000

/** `2026-11-16T06:00Z`, for people who wait for it: never before the moment itself. */
export function isoMinute(moment: Date): string {
  return `${new Date(Math.ceil(moment.getTime() / minuteMs) * minuteMs).toISOString().slice(0, 16)}Z`
}
