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

/** The root, the folder or an open file of a process, as the system names them. */
const PROCESS = String.raw`^/proc/(?:self|thread-self|\d+)(?:/task/\d+)?`
const ITS_ROOT = new RegExp(`${PROCESS}/root(?=/)`)
const ITS_OWN = new RegExp(String.raw`(?:${PROCESS}/(?:cwd|fd/\d+)|^/dev/fd/\d+)(?=/|$)`)

/** True for a path below a folder that only one process knows. */
export const isOfProcess = (path: string): boolean => ITS_OWN.test(path)

/** What a path through a process may be: its folder is this one or one above. */
export function throughProcess(path: string, cwd: string | undefined): readonly string[] {
  const whole = path.replace(ITS_ROOT, '')
  if (!isOfProcess(whole)) return [whole]
  const rest = whole.replace(ITS_OWN, '')
  const folders = (cwd ?? '').split('/')
  return folders.map((_, at) => `${folders.slice(0, at + 1).join('/')}${rest}`)
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
