import { endAtLatest, keepLimit } from './daemon/hook-limit.ts'
import type { Command } from './frame/command.ts'

const words = process.argv.slice(2)
// Set the limit first, because loading the rest can take longer than the limit.
const isHook = words[0] === 'hook'
if (isHook) keepLimit(words)
void start()

async function start(): Promise<void> {
  const { run } = await import('./frame/dispatch.ts')
  // A client calls `hook` itself, and waits for it.
  const before = isHook ? undefined : (await import('./daemon/door.ts')).openDoor
  await run(words, await commandsFor(words), before)
  endAtLatest()
}

/** Loads `hook` and `daemon run` without the other commands, in a quarter of the time. */
async function commandsFor([first, second]: readonly string[]): Promise<readonly Command[]> {
  if (first === 'hook') return [(await import('./commands/hook.ts')).hook]
  if (first === 'daemon' && second === 'run') return [(await import('./commands/daemon-run.ts')).daemonRun]
  return (await import('./commands/index.ts')).commands
}
