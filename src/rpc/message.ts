/** JSON-RPC 2.0 messages. */
export interface RpcError {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export type RpcId = string | number | null

export interface RpcRequest {
  readonly method: string
  readonly params: unknown
  /** Absent in a notification, which is not answered. */
  readonly id?: RpcId
  /** How long the caller will wait; an extension of ours. */
  readonly deadline_ms?: number
}

export interface RpcReply {
  readonly jsonrpc: '2.0'
  readonly id: RpcId
  readonly result?: unknown
  readonly error?: RpcError
}

export const answer = (id: RpcId, result: unknown): RpcReply => ({
  jsonrpc: '2.0',
  id,
  result: result ?? null,
})
export const failure = (id: RpcId, error: RpcError): RpcReply => ({ jsonrpc: '2.0', id, error })
export const notification = (method: string, params: unknown) => ({ jsonrpc: '2.0', method, params })

export const PARSE_ERROR = -32700
export const INVALID_REQUEST = -32600
export const TOO_LARGE = -32013
export const UNAVAILABLE = -32005

/** Parses a request, or returns the problem. */
export function toRequest(value: unknown): RpcRequest | { readonly problem: string; readonly id: RpcId } {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: 'A request must be an object.', id: null }
  const { jsonrpc, method, params, id, deadline_ms: deadline } = value as Record<string, unknown>
  const known = typeof id === 'string' || typeof id === 'number' ? id : null
  if (jsonrpc !== '2.0') return { problem: 'A request must have "jsonrpc": "2.0".', id: known }
  if (typeof method !== 'string' || method === '')
    return { problem: 'A request must have a "method".', id: known }
  if (id !== undefined && id !== null && known === null)
    return { problem: 'An "id" must be a string or a number.', id: null }
  if (params !== undefined && (typeof params !== 'object' || params === null))
    return { problem: '"params" must be an object.', id: known }
  if (deadline !== undefined && (typeof deadline !== 'number' || !(deadline > 0)))
    return { problem: '"deadline_ms" must be a number above 0.', id: known }
  return {
    method,
    params,
    ...(id !== undefined && { id: known }),
    ...(typeof deadline === 'number' && { deadline_ms: deadline }),
  }
}
