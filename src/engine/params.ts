import * as z from 'zod'

/** The kinds of parameters that many methods share. */

// oxlint-disable-next-line no-control-regex -- a NUL ends a path for the kernel but not for us
export const hasControl = (text: string) => /[\u0000-\u001f]/.test(text)

/** `format: path` lets the CLI resolve what a person types against the current folder. */
export const path = z
  .string()
  .min(1)
  .max(4096)
  .refine((text) => !hasControl(text), 'holds a control character')
  .refine((text) => text.startsWith('/'), 'must be an absolute path')
  .meta({ format: 'path' })

export const id = z.int().positive()

export const name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((text) => !hasControl(text), 'holds a control character')

/** Skills name files (artifacts), so their names are held to what is safe there. */
export const skillName = z
  .string()
  .max(200)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._:-]*$/u, 'must be a skill name such as brainstorm or plugin:brainstorm')

/** Text that goes into the database as it is; PostgreSQL has no way to keep a NUL. */
export const textUpTo = (length: number) =>
  z
    .string()
    .max(length)
    .refine((given) => !given.includes('\0'), 'holds a NUL character')

export const text = textUpTo(100_000)
export const object = z.record(z.string(), z.unknown())
export const limit = z.int().min(1).max(1000).default(100)
export const offset = z.int().min(0).default(0)
export const reason = textUpTo(2000)
  .trim()
  .min(1)
  .describe('Why the user allows what the plan does not; kept in the ledger.')
