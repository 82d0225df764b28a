/** The roles of a message. */
export const ROLES = ['user', 'assistant', 'system', 'tool'] as const

/** One entry of a session's transcript. */
export interface Message {
  readonly id: number
  readonly session_id: number
  readonly role: (typeof ROLES)[number]
  readonly content: string
  readonly tool_name: string | null
  readonly timestamp: string
}
