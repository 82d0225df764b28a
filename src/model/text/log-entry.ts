/** One entry of a log: a heading with its time, and what follows. */
export function logEntry(text: string, now: string): string {
  const [first = '', ...rest] = text.trim().split('\n')
  const heading = first.replace(/^#+\s*/, '').trim()
  const stamped = heading.startsWith('[') ? heading : `[${now.slice(0, 19).replace('T', ' ')}] ${heading}`
  const body = rest.join('\n').trim()
  // The empty line in front keeps the heading a heading, whatever the file ends with.
  return `\n## ${stamped}\n${body === '' ? '' : `\n${body}\n`}`
}
