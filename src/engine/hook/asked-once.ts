import type { Files } from '../../model/files.ts'

/** The disk as one event sees it: what a path is and where it leads is asked once. */
export const askedOnce = (files: Files): Files => ({
  ...files,
  canonical: once((path) => files.canonical(path)),
  identity: once((path) => files.identity(path)),
})

function once<T>(ask: (path: string) => Promise<T>): (path: string) => Promise<T> {
  const known = new Map<string, Promise<T>>()
  return (path) => {
    const answer = known.get(path) ?? ask(path)
    known.set(path, answer)
    return answer
  }
}
