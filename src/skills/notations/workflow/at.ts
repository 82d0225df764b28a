import { type Diagnostic, diagnose, type Place } from '../../../model/diagnostic.ts'
import { reader } from '../../text/typed-fields.ts'
import type { Places } from './places.ts'

/** What is being read, for messages, and where. */
export interface At {
  readonly name: string
  readonly place: Place
  readonly places: Places
  readonly diagnostics: Diagnostic[]
}

/** Reports a value of the wrong shape. */
export const tell = ({ place, diagnostics }: Pick<At, 'place' | 'diagnostics'>, message: string): void =>
  void diagnostics.push(diagnose('HF207', place, message))

/** Reads the fields of an unknown value. */
export const readerAt = ({ name, place, diagnostics }: At, value: unknown, keys: readonly string[]) =>
  reader(value, { name, keys, code: 'HF207' }, place, diagnostics)
