import * as z from 'zod'
import * as p from '../call/params.ts'

/** Half a character would become another one on disk. */
const whole = (schema: z.ZodString) => schema.overwrite((text) => text.toWellFormed())

/** A text in one line of a file. */
export const line = (length: number) => whole(p.withoutControls(z.string().trim().min(1).max(length)))

/** A field of a task line; bars are between fields. */
export const field = (length: number) =>
  line(length).refine((text) => !text.includes('|'), 'must not have a bar')

/** Words for a section. */
export const words = (length: number) => whole(p.words(length))

export const path = p.cwd.describe('A folder of the project.')
