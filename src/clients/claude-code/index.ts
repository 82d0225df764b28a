import type { Client } from '../../model/client.ts'
import { shellWord } from '../../model/shell/word.ts'
import { canaries, heard } from './canaries.ts'
import { decode, NAME } from './decode.ts'
import { encode, EVENTS } from './encode.ts'
import { settings } from './install.ts'
import { transcript } from './transcript.ts'

/** Claude Code, as of its version 2.1.325. */
export const claudeCode: Client = {
  name: NAME,
  events: EVENTS,
  decode,
  encode,
  transcript,
  settings,
  canaries,
  heard,
  instructions: { names: ['CLAUDE.md', '.claude/CLAUDE.md'], otherwise: ['AGENTS.md'] },
  sessionIn: (env) => env['CLAUDE_CODE_SESSION_ID'],
  resume: (session) => `claude --resume ${shellWord(session)}`,
}
