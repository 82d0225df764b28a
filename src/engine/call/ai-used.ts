import type { TokenCount } from '../../model/ai.ts'
import { type AiUse, costOf } from '../../model/ai-provider.ts'
import type { Config } from '../../model/config.ts'
import type { LedgerEntry } from '../../model/ledger.ts'

/** A call of a provider that succeeded. */
export interface AiUsed {
  readonly use: AiUse
  /** What it was for, such as `search` or `index`. */
  readonly purpose: string
  readonly of: { readonly provider: string; readonly model: string }
  readonly tokens: TokenCount | undefined
  readonly config: Config
  readonly project_id?: number | undefined
}

/** What a call used, for its answer and the ledger; the cost is null without a price in the config. */
export const usedBy = ({ use, of: { provider, model }, tokens, config }: AiUsed) => ({
  provider,
  model,
  tokens: tokens ?? null,
  cost: costOf(config[`ai_${use}_price`], tokens) ?? null,
})

/** The entry of a call for the ledger; it has no text. */
export const aiUsedEntry = (used: AiUsed): LedgerEntry => ({
  event_type: 'ai.used',
  ...(used.project_id !== undefined && { project_id: used.project_id }),
  payload: { use: used.use, purpose: used.purpose, ...usedBy(used) },
})
