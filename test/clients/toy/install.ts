import { hookCommand, kindOfCommand, sharedHookCommand } from '../../../src/hook/commands.ts'
import type { Settings, Wiring } from '../../../src/model/client-settings.ts'
import { EngineError } from '../../../src/model/error.ts'
import { decode, fieldsOf, NAME } from './decode.ts'
import { EVENTS } from './encode.ts'

interface Hook {
  readonly on: string
  readonly run: string
}

/** `hooks` is a list of `{on, run}`; the rest belongs to the user. */
export const settings: Settings = {
  path: (scope, { user, project }) =>
    scope === 'user'
      ? `${user}/hooks.json`
      : `${project}/.toy/${scope === 'local' ? 'hooks.local.json' : 'hooks.json'}`,
  wire: (text, wiring) =>
    withHooks(
      text ?? '{}',
      [...EVENTS.keys()].map((on) => ({ on, run: lineFor(wiring) })),
    ),
  unwire: (text) => withHooks(text, []),
  read(text) {
    const lines = new Set(
      hooksIn(text)
        .filter(isOurs)
        .map(({ run }) => run),
    )
    return {
      ways: [...lines].map((command) => ({ kind: 'command', command })),
      failsClosed: false,
      allowsHoldfast: false,
      off: undefined,
      obstacles: [],
    }
  },
  enable: (text) => text,
  called: (text, { payload }) =>
    hooksIn(text)
      .filter((hook) => isOurs(hook) && hook.on === decode(payload).name)
      .map(({ run }) => ({ way: { kind: 'command', command: run }, isGuard: false })),
  calls: (text) => ({
    ours: hooksIn(text)
      .filter(isOurs)
      .map((hook) => JSON.stringify(hook)),
    allowed: [],
  }),
  asks: (texts) => texts.flatMap(hooksIn).some(isOurs),
  flaws: () => [],
}

const lineFor = ({ scope, launcher }: Wiring): string =>
  scope === 'project'
    ? sharedHookCommand({ client: NAME })
    : hookCommand({ client: NAME, launcher, limit: 4500 })

const isOurs = ({ run }: Hook): boolean => kindOfCommand(run, NAME) === 'hook'

function withHooks(text: string, ours: readonly Hook[]): string {
  const { hooks: _, ...rest } = read(text)
  const hooks = [...hooksIn(text).filter((hook) => !isOurs(hook)), ...ours]
  return `${JSON.stringify({ ...rest, ...(hooks.length > 0 && { hooks }) }, null, 2)}\n`
}

const hooksIn = (text: string): readonly Hook[] => (read(text)['hooks'] as readonly Hook[] | undefined) ?? []

function read(text: string): Readonly<Record<string, unknown>> {
  try {
    return fieldsOf(JSON.parse(text === '' ? '{}' : text))
  } catch (cause) {
    throw new EngineError('invalid', 'These settings are no JSON.', { cause })
  }
}
