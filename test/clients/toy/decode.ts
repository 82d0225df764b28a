import type { Happening, HookEvent, ToolAction } from '../../../src/model/event.ts'
import { keptText } from '../../../src/model/text/kept.ts'
import { absolutePath } from '../../../src/model/text/path.ts'

export const NAME = 'toy'

type Fields = Readonly<Record<string, unknown>>

/** Decodes a payload of the toy; any payload becomes an event. */
export function decode(payload: unknown): HookEvent {
  const fields = fieldsOf(payload)
  const cwd = pathOf(fields['dir'], undefined)
  const origin = { client: NAME, name: nameOf(fields['on']), session: nameOf(fields['talk']), cwd }
  return { ...origin, ...happeningOf(fields, cwd) }
}

function happeningOf(fields: Fields, cwd: string | undefined): Happening {
  const tool = {
    id: nameOf(fields['call']),
    name: 'tool',
    does: actionOf(fields, cwd),
    input: { file: fields['file'], write: fields['write'], run: fields['run'] },
  }
  switch (fields['on']) {
    case 'start':
      return { kind: 'session.started' }
    case 'prompt':
      return { kind: 'prompt.submitted', text: textOf(fields['text']), by: 'user' }
    case 'before':
      return { kind: 'tool.before', tool }
    case 'after':
      return { kind: 'tool.after', tool: { ...tool, result: undefined, ended: true } }
    default:
      return { kind: 'other' }
  }
}

function actionOf({ file, write, run }: Fields, cwd: string | undefined): ToolAction {
  const [read, written] = [pathOf(file, cwd), pathOf(write, cwd)]
  if (read !== undefined) return { kind: 'files', touches: [{ path: read, how: 'read' }] }
  if (written !== undefined) return { kind: 'files', touches: [{ path: written, how: 'write' }] }
  return typeof run === 'string' ? { kind: 'command', command: textOf(run) } : { kind: 'other' }
}

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}

const textOf = (value: unknown): string => (typeof value === 'string' ? keptText(value, 100_000) : '')

const nameOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[^\0]{1,500}$/.test(value) ? value.toWellFormed() : undefined

const pathOf = (value: unknown, cwd: string | undefined): string | undefined =>
  typeof value === 'string' ? absolutePath(value, cwd) : undefined
