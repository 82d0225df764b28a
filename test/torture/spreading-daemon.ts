import { findHome } from '../../src/daemon/home.ts'
import { startDaemon } from '../../src/daemon/main.ts'
import { call } from '../../src/engine/call/call.ts'
import { untilStopped } from '../until-stopped.ts'

/** Overflows the stack with a long list in the input of a tool: the bug that the test of hook bodies must find. */
function wordsOf(input: unknown): readonly unknown[] {
  const open: unknown[] = []
  for (const value of Object.values(input ?? {})) if (Array.isArray(value)) open.push(...(value as unknown[]))
  return open
}

untilStopped(
  startDaemon({
    home: findHome(),
    callMethod(context, name, params, caller) {
      if (name === 'hooks.handle')
        wordsOf((params as { payload?: { tool_input?: unknown } }).payload?.tool_input)
      return call(context, name, params, caller)
    },
  }),
)
