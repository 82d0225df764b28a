/** How many milliseconds a hook may take where nobody has said it. */
export const USUAL_LIMIT = 2000

/**
 * Ends this process when the limit of its hook is over, whatever it waits for then: a client that does not close its
 * end, a daemon that starts slowly or hangs. It counts since Node began, because the client has waited since then.
 */
export function keepLimit(words: readonly string[]): NodeJS.Timeout {
  const limit = limitIn(words)
  const left = () => Math.max(0, limit - performance.now())
  // While code is loaded no timer can fire.
  process.getBuiltinModule('node:module').registerHooks({
    load(url, context, next) {
      if (left() === 0) giveUp(limit)
      return next(url, context)
    },
  })
  return setTimeout(() => giveUp(limit), left())
}

let isDecided = false

/** What comes after the answer has the same limit, but nobody is told that there was none. */
export function noteDecided(): void {
  isDecided = true
}

/** A limit that is none is refused by the command. */
function limitIn(words: readonly string[]): number {
  const typed = /(?:^| )--limit[= ](\d+)(?: |$)/.exec(words.join(' '))?.[1]
  return typed === undefined ? USUAL_LIMIT : Number(typed)
}

function giveUp(limit: number): never {
  if (!isDecided) process.stderr.write(`holdfast: the hook was not decided within ${limit} ms.\n`)
  process.exit(0)
}
