import type { Command } from './frame/command.ts'
import { keepLimit } from './daemon/hook-limit.ts'

const words = process.argv.slice(2)
// Before the rest is loaded, because on a busy machine that alone can take longer than a hook may.
const limit = words[0] === 'hook' ? keepLimit(words) : undefined
void start()

async function start(): Promise<void> {
  const { run } = await import('./frame/dispatch.ts')
  await run(words, await commandsFor(words))
  // Whatever is still open may end by itself, but no later.
  limit?.unref()
}

/** What many processes run at the same moment is loaded without all the others, in a quarter of the time. */
async function commandsFor([first, second]: readonly string[]): Promise<readonly Command[]> {
  if (first === 'hook') return [(await import('./commands/hook.ts')).hook]
  if (first === 'daemon' && second === 'run') return [(await import('./commands/daemon-run.ts')).daemonRun]
  return (await import('./commands/index.ts')).commands
}
