import { VERSION } from '../daemon/version.ts'
import type { Command } from './frame/command.ts'
import { keepLimit } from './daemon/hook-limit.ts'

const words = process.argv.slice(2)
// Set the limit first, because loading the rest can take longer than the limit.
const limit = words[0] === 'hook' ? keepLimit(words) : undefined
void start()

async function start(): Promise<void> {
  // Every `doctor` asks each program that it finds, so this loads nothing else.
  if (words.length === 1 && words[0] === '--version') return console.log(VERSION)
  const { run } = await import('./frame/dispatch.ts')
  // A client calls `hook` itself, and waits for it.
  const before = limit === undefined ? (await import('./daemon/door.ts')).openDoor : undefined
  await run(words, await commandsFor(words), before)
  // Open handles may still end by themselves until the limit.
  limit?.unref()
}

/** Loads `hook` and `daemon run` without the other commands, in a quarter of the time. */
async function commandsFor([first, second]: readonly string[]): Promise<readonly Command[]> {
  if (first === 'hook') return [(await import('./commands/hook.ts')).hook]
  if (first === 'daemon' && second === 'run') return [(await import('./commands/daemon-run.ts')).daemonRun]
  return (await import('./commands/index.ts')).commands
}
