import * as z from 'zod'
import { hasControl, isBlank } from '../../model/text/line.ts'

/** Parameter types that several methods share. */

export const withoutControls = (schema: z.ZodString) =>
  schema.refine((text) => !hasControl(text), 'contains a control character')

/** `format: path` lets the CLI resolve a relative path against the current folder. */
const absolute = (schema: z.ZodString) =>
  schema.refine((text) => text.startsWith('/'), 'must be an absolute path').meta({ format: 'path' })

export const path = absolute(withoutControls(z.string().min(1).max(4096)))

export const id = z.int().positive()

export const name = withoutControls(z.string().trim().min(1).max(200))

export const taskId = path.describe('The folder of the task.')

/** Skill names become part of artifact file names, so only safe characters are allowed. */
export const skillName = z
  .string()
  .max(200)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._:-]*$/u, 'must be a skill name such as brainstorm or plugin:brainstorm')

/** A skill, or a workflow of it that a sub-agent follows. */
export const workflowName = z
  .string()
  .max(200)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._:/-]*$/u, 'must be a skill name such as brainstorm or plugin:brainstorm')

/** Text stored unchanged; PostgreSQL cannot store a NUL. */
export const textUpTo = (length: number) =>
  z
    .string()
    .max(length)
    .refine((given) => !given.includes('\0'), 'contains a NUL character')

/** The folder that the caller works in; hooks work in a folder of any name, so commands must too. */
export const cwd = absolute(textUpTo(4096).min(1))

/** Who calls: an effort of somebody else is refused. A caller with neither is the user at a terminal. */
export const caller = {
  agent_id: name.optional().describe('The agent that calls.'),
  native_id: name.optional().describe("The client's id of the session that calls."),
}

export const text = textUpTo(100_000)
export const keywords = textUpTo(2000).describe('Search keywords for the task, comma-separated.')
export const object = z.record(z.string(), z.unknown())

/** Any JSON value but null, which would mean that nothing was given. */
export const json = z.unknown().refine((value) => value !== null, 'must not be null')

export const limit = z.int().min(1).max(1000).default(100).describe('Maximum number of results.')
export const offset = z.int().min(0).default(0).describe('Number of results to skip.')

/** Words that a person or an agent must say; a blank of a command that we told is none. */
export const words = (length: number) =>
  textUpTo(length)
    .trim()
    .min(1)
    .refine((given) => !isBlank(given), 'must have words instead of the blank')

export const reason = words(2000).describe('Why the user overrides the plan. Recorded in the ledger.')
