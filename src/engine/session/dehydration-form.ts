import * as z from 'zod'
import type { Dehydration } from '../../model/dehydration.ts'
import * as p from '../call/params.ts'

const texts = z
  .union([z.array(p.text).max(1000), p.text.transform((text) => [text])], 'must be a list of strings')
  .optional()

/** The fields that skill files in use write, and no others. */
export const dehydrationSchema = z
  .strictObject({
    summary: p.text.optional().describe('The goal of the work and its progress.'),
    lastAction: p.text.optional().describe('The last completed action.'),
    nextSteps: texts.describe('The next actions, in order.'),
    handoverInstructions: p.text.optional().describe('Instructions for the next session.'),
    userHistory: p.text.optional().describe('What the user asked for and decided.'),
    requiredFiles: texts.describe('The files to read first, most important first. The first 8 are kept.'),
  })
  .describe('The handover note. Default: a note generated from the stored state.')

/** Converts the payload of a finished session to a handover note. */
export function dehydrationIn(payload: unknown): Dehydration {
  const known = dehydrationSchema.safeParse(payload)
  if (known.success) return known.data
  return { summary: typeof payload === 'string' ? payload : JSON.stringify(payload) }
}
