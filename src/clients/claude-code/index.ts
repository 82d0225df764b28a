import type { Client } from '../../model/client.ts'
import { shellWord } from '../../model/shell/word.ts'
import { canaries, heard } from './canaries.ts'
import { decode, NAME } from './decode.ts'
import { encode, EVENTS } from './encode.ts'
import { hand } from './hand.ts'
import { history } from './history.ts'
import { loadedCommands } from './inline.ts'
import { settings } from './install.ts'
import { named, payload } from './named.ts'
import { own } from './own-routes.ts'
import { plugins } from './plugins.ts'
import { reads, subagent } from './routes.ts'
import { sandbox } from './sandbox.ts'
import { transcript } from './transcript.ts'
import { writes } from './write-routes.ts'

const FOLDER = '.claude'

/** Claude Code 2.1.325. */
export const claudeCode: Client = {
  name: NAME,
  events: EVENTS,
  decode,
  named,
  payload,
  encode,
  transcript,
  sessionIn: (env) => env['CLAUDE_CODE_SESSION_ID'],
  resume: (session) => `claude --resume ${shellWord(session)}`,
  canaries,
  heard,
  folders: {
    user: (home, { CLAUDE_CONFIG_DIR: given }) =>
      given === undefined || given === '' ? `${home}/${FOLDER}` : given,
    project: FOLDER,
  },
  variables: 'CLAUDE',
  instructions: { names: ['CLAUDE.md', `${FOLDER}/CLAUDE.md`], otherwise: ['AGENTS.md'] },
  settings,
  loadedCommands,
  routes: { reads, writes, own, subagent },
  plugins,
  sandbox,
  hand,
  history,
  statusLine: (session, cwd) => ({ session_id: session, cwd }),
}
