/** Default time limit of a hook, in milliseconds. */
export const USUAL_LIMIT = 2000

/**
 * Ends this process at the time limit of its hook, whether it waits for the client or the daemon.
 * The time counts from the start of Node, because the client waits since then.
 */
export function keepLimit(words: readonly string[]): NodeJS.Timeout {
  const limit = limitIn(words)
  const left = () => Math.max(0, limit - performance.now())
  // No timer can fire while code loads.
  process.getBuiltinModule('node:module').registerHooks({
    load(url, context, next) {
      if (left() === 0) giveUp(limit)
      return next(url, context)
    },
  })
  return setTimeout(() => giveUp(limit), left())
}

let isDecided = false

/** The limit also covers the time after the reply, but then without a message. */
export function noteDecided(): void {
  isDecided = true
}

/** The command itself rejects an invalid limit. */
function limitIn(words: readonly string[]): number {
  const typed = /(?:^| )--limit[= ](\d+)(?: |$)/.exec(words.join(' '))?.[1]
  return typed === undefined ? USUAL_LIMIT : Number(typed)
}

/** The message of a hook that ran out of time. */
export const noDecision = (limit: number): string => `holdfast: no decision on the hook within ${limit} ms.\n`

function giveUp(limit: number): never {
  if (!isDecided) process.stderr.write(noDecision(limit))
  process.exit(0)
}
