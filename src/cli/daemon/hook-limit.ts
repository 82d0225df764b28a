/** Default time limit of a hook, in milliseconds. */
export const USUAL_LIMIT = 2000

/** The limit as typed, and the current one. */
let [typed, limit] = [USUAL_LIMIT, USUAL_LIMIT]
let timer: NodeJS.Timeout | undefined

/**
 * Ends this process at the time limit of its hook, whether it waits for the client or the daemon.
 * The time counts from the start of Node, because the client waits since then.
 */
export function keepLimit(words: readonly string[]): void {
  typed = limitIn(words)
  keep(withoutStart(typed))
  // No timer can fire while code loads.
  process.getBuiltinModule('node:module').registerHooks({
    load(url, context, next) {
      if (left() === 0) giveUp()
      return next(url, context)
    },
  })
}

/** Only a daemon that must start first may take the whole limit; one that runs may hang. */
const withoutStart = (most: number): number => Math.min(most, Math.max(USUAL_LIMIT, most / 3))

/** A daemon starts, so the hook may wait as long as was typed. */
export function noteStart(): void {
  if (timer !== undefined) keep(typed)
}

function keep(milliseconds: number): void {
  clearTimeout(timer)
  limit = milliseconds
  timer = setTimeout(giveUp, left())
}

const left = (): number => Math.max(0, limit - performance.now())

/** Open handles may still end by themselves until the limit. */
export function endAtLatest(): void {
  timer?.unref()
}

let isDecided = false

/** The limit also covers the time after the reply, but then without a message. */
export function noteDecided(): void {
  isDecided = true
}

/** The command itself rejects an invalid limit. */
function limitIn(words: readonly string[]): number {
  const number = /(?:^| )--limit[= ](\d+)(?: |$)/.exec(words.join(' '))?.[1]
  return number === undefined ? USUAL_LIMIT : Number(number)
}

/** The message of a hook that ran out of time. */
export const noDecision = (milliseconds: number): string =>
  `holdfast: no decision on the hook within ${milliseconds} ms.\n`

function giveUp(): never {
  if (!isDecided) process.stderr.write(noDecision(limit))
  process.exit(0)
}
