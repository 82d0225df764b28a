import { readStatusLine, statusLineCommand } from '../../hook/status-line.ts'
import type { Wired, Wiring } from '../../model/client-settings.ts'
import { drop, type JsonPath, put, putBack, valueAt } from '../json-text.ts'
import { NAME } from './decode.ts'
import { isFields } from './fields.ts'

const LINE: JsonPath = ['statusLine']
const COMMAND: JsonPath = ['statusLine', 'command']

/** Wraps the user's status line in ours; an unknown kind stays unchanged. */
export function wireLine(text: string, { statusLine, home }: Wiring): string {
  if (!statusLine) return unwireLine(text, '{}')
  const known = commandIn(text)
  if (known === undefined) {
    const command = statusLineCommand({ client: NAME, home })
    return valueAt(text, LINE) === undefined ? put(text, LINE, { type: 'command', command }) : text
  }
  const ours = readStatusLine(known, NAME)
  const command = statusLineCommand({ client: NAME, home, wraps: ours === undefined ? known : ours.wraps })
  return command === known ? text : put(text, COMMAND, command)
}

/** Restores the user's status line, byte for byte if the original settings are known. */
export function unwireLine(text: string, original: string): string {
  const ours = readStatusLine(commandIn(text) ?? '', NAME)
  if (ours === undefined) return text
  if (ours.wraps === undefined) return drop(text, LINE)
  return valueAt(original, COMMAND) === ours.wraps
    ? putBack(text, COMMAND, original)
    : put(text, COMMAND, ours.wraps)
}

/** The command of the status line, and whether it is ours. */
export function readLine(text: string): Pick<Wired, 'statusLine'> {
  const command = commandIn(text)
  if (command === undefined) return {}
  return { statusLine: { command, isOurs: readStatusLine(command, NAME) !== undefined } }
}

function commandIn(text: string): string | undefined {
  const line = valueAt(text, LINE)
  const { type, command } = isFields(line) ? line : {}
  return type === 'command' && typeof command === 'string' ? command : undefined
}
