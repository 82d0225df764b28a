/** Longer than any file system allows. */
const LONGEST = 4096
/** A part that is empty, `.` or `..`. */
const UNRESOLVED = /\/\.{0,2}(\/|$)/

/** An absolute path with `.` and `..` resolved, or undefined if invalid. Does not follow links. */
export function absolutePath(path: string, cwd: string | undefined): string | undefined {
  const whole = path.startsWith('/') ? path : cwd?.startsWith('/') ? `${cwd}/${path}` : undefined
  if (path === '' || whole === undefined || whole.length > LONGEST || whole.includes('\0')) return undefined
  if (!UNRESOLVED.test(whole)) return whole
  const parts: string[] = []
  for (const part of whole.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '' && part !== '.') parts.push(part)
  }
  return `/${parts.join('/')}`
}

/** A canonical path as seen from a folder, if that is shorter. */
export function shortPath(path: string, from: string): string {
  const [to, at] = [path.split('/'), from.split('/')]
  const split = at.findIndex((part, index) => part !== to[index])
  const same = split === -1 ? at.length : split
  const seen = [...at.slice(same).map(() => '..'), ...to.slice(same)].join('/')
  return seen.length < path.length ? seen : path
}

/** The path of a `file:` address. */
export function pathOfAddress(address: string): string | undefined {
  const path = /^file:\/\/(?:localhost)?(\/[^?#]*)/i.exec(address)?.[1]
  if (path === undefined) return undefined
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}
