const UNITS = [
  [86_400, 'd'],
  [3600, 'h'],
  [60, 'min'],
  [1, 's'],
] as const

/** A duration in the largest whole unit that fits. */
export function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  const [size, unit] = UNITS.find(([length]) => seconds >= length) ?? [1, 's']
  return `${Math.floor(seconds / size)} ${unit}`
}

/** A relative time: `5 min ago`, `in 2 h`. JSON keeps the timestamp. */
export function relativeTime(time: string, now = Date.now()): string {
  const passed = now - Date.parse(time)
  if (Number.isNaN(passed)) return time
  return Math.round(-passed / 1000) > 0 ? `in ${duration(-passed)}` : `${duration(passed)} ago`
}

/** Replaces timestamps at line starts with relative times. */
export const relativeLines = (text: string, now: number): string =>
  text.replaceAll(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/gm, (time) => `${relativeTime(time, now)}:`)

/** The time of day, for lines that stay on the screen. */
export const clockTime = (time: string): string =>
  Number.isNaN(Date.parse(time)) ? time : new Date(time).toTimeString().slice(0, 8)

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z$/

/** True if a text is exactly one of our timestamps. */
export const isTime = (text: string): boolean => ISO.test(text)
