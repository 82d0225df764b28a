/** A folder of work. It never finishes; whether it is active is derived from its efforts. */
export interface Task {
  readonly dir_path: string
  readonly project_id: number
  readonly workspace: string | null
  readonly title: string | null
  readonly description: string | null
  readonly keywords: string | null
  readonly created_at: string
}

/** Keywords add up over the efforts of a task; none given removes none. */
export function mergeKeywords(known: string | null, added: string | undefined): string | null {
  const words = `${known ?? ''},${added ?? ''}`
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
  return words.length === 0 ? null : [...new Set(words)].join(', ')
}
