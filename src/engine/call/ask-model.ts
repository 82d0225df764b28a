import type { Generator, Prompt } from '../../model/ai.ts'
import type { AiUsed } from './ai-used.ts'
import type { Config } from '../../model/config.ts'
import { EngineError } from '../../model/error.ts'
import type { Context } from './context.ts'

/** What a model answered, or why it did not. */
export type Asked =
  | { readonly text: string; readonly used: AiUsed }
  | { readonly missed: string; readonly of: Pick<Generator, 'provider' | 'model'> }

/** The model that the settings of a project name for texts; undefined if there is none. */
export function generatorIn({ ai }: Context, config: Config): Generator | undefined {
  try {
    return ai.generator(config)
  } catch (error) {
    if (error instanceof EngineError && error.code === 'not-configured') return undefined
    throw error
  }
}

/** Asks a model and gives up after a time; it never fails, and its answer is data. */
export async function askModel(
  generator: Generator,
  asked: Prompt,
  about: {
    readonly milliseconds: number
    readonly purpose: string
    readonly config: Config
    readonly project_id: number
  },
): Promise<Asked> {
  const { milliseconds, purpose, config, project_id } = about
  try {
    const answer = await generator.generate(asked, AbortSignal.timeout(milliseconds))
    if (answer.stop === 'refused') return { missed: 'The model declined.', of: generator }
    const used = {
      use: 'generate',
      purpose,
      of: generator,
      tokens: answer.tokens,
      config,
      project_id,
    } as const
    return { text: answer.text, used }
  } catch (error) {
    return { missed: error instanceof Error ? error.message : String(error), of: generator }
  }
}
