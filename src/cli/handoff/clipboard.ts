import { spawnSync } from 'node:child_process'
import type { Io } from '../frame/io.ts'
import { contained } from '../install/contained.ts'

/** The programs that put their input on a clipboard, and the variable that each needs. */
const PROGRAMS: readonly { readonly words: readonly [string, ...string[]]; readonly needs?: string }[] = [
  { words: ['pbcopy'] },
  { words: ['wl-copy'], needs: 'WAYLAND_DISPLAY' },
  { words: ['xclip', '-selection', 'clipboard'], needs: 'DISPLAY' },
  { words: ['xsel', '--clipboard', '--input'], needs: 'DISPLAY' },
  { words: ['clip.exe'] },
]

/** Puts a text on the clipboard; says by what, or undefined if nothing here can. */
export function copyText(io: Io, text: string): string | undefined {
  const { env, cwd, isTerminal } = io
  for (const { words, needs } of PROGRAMS) {
    if (needs !== undefined && (env[needs] ?? '') === '') continue
    using held = contained(io, cwd, words)
    const [program, ...more] = held.words
    // Some stay to serve the clipboard, so nobody may wait for their output.
    const { status } = spawnSync(program, more, { input: text, env, stdio: ['pipe', 'ignore', 'ignore'] })
    if (status === 0) return words[0]
  }
  if (!isTerminal) return undefined
  process.stdout.write(`\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`)
  return 'the terminal'
}
