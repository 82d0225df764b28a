import * as z from 'zod'
import type { Dehydration } from '../../model/dehydration.ts'
import * as p from '../call/params.ts'

const texts = z
  .union([z.array(p.text).max(1000), p.text.transform((text) => [text])], 'must be a list of texts')
  .optional()

/** The fields that the seeds' own skill files write, and no others. */
export const dehydrationSchema = z
  .strictObject({
    summary: p.text.optional().describe('What the work is about and how far it is.'),
    lastAction: p.text.optional().describe('What was done last.'),
    nextSteps: texts.describe('What to do next, in order.'),
    handoverInstructions: p.text.optional().describe('What the next window must take care of.'),
    userHistory: p.text.optional().describe('What the user has asked for and decided.'),
    requiredFiles: texts.describe('The files to read first, the most important first; 8 are kept.'),
  })
  .describe('What the next window must know; without it, what the store knows is kept.')

/** Whatever a session was finished with, as far as it can be told to the next window. */
export function dehydrationIn(payload: unknown): Dehydration {
  const known = dehydrationSchema.safeParse(payload)
  if (known.success) return known.data
  return { summary: typeof payload === 'string' ? payload : JSON.stringify(payload) }
}
