import type { Programs } from '../engine/call/context.ts'
import { shellWord } from '../model/shell/word.ts'
import { PROGRAM } from '../model/text/told-commands.ts'
import type { Home } from './home.ts'

/** More sessions than any user has open. */
const MOST_SESSIONS = 1000

/** Remembers where `holdfast` is a command; everywhere else, texts name the launcher. */
export function toldPrograms({ launcher }: Pick<Home, 'launcher'>): Programs {
  const sessions = new Map<string, boolean>()
  return {
    note(session, isCommand) {
      sessions.delete(session)
      sessions.set(session, isCommand)
      const [oldest = ''] = sessions.keys()
      if (sessions.size > MOST_SESSIONS) sessions.delete(oldest)
    },
    of: (session) => (sessions.get(session ?? '') === true ? PROGRAM : shellWord(launcher)),
  }
}
