/** Formats one log entry: a heading with the time, and the text below it. */
export function logEntry(text: string, now: string): string {
  const [first = '', ...rest] = text.trim().split('\n')
  const heading = first.replace(/^#+\s*/, '').trim()
  const stamped = heading.startsWith('[') ? heading : `[${now.slice(0, 19).replace('T', ' ')}] ${heading}`
  const body = rest.join('\n').trim()
  // The empty line separates the heading from any previous text.
  return `\n## ${stamped}\n${body === '' ? '' : `\n${body}\n`}`
}
