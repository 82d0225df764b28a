import type { Embedder } from '../model/ai.ts'
import { centerOf } from '../model/search/codes.ts'
import type { Tx } from '../store/query.ts'
import { insertSpace, listSpaces, setSpaceState, type Space } from '../store/space.ts'
import { bytesOf } from '../store/vector-bytes.ts'

/**
 * The space of a model, made with its first vectors; undefined before there are any. The space before it answers until
 * the new one is filled, unless it belongs to a provider that the user no longer wants to send texts to.
 */
export async function spaceOf(
  tx: Tx,
  embedder: Embedder,
  vectors: readonly Float32Array[],
): Promise<Space | undefined> {
  const spaces = await listSpaces(tx, {})
  const found = spaces.find((space) => space.identity === embedder.id)
  const [first] = vectors
  if (found === undefined && first === undefined) return undefined
  const others = spaces.filter(({ id }) => id !== found?.id)
  const before = others.find(({ state }) => state === 'active')
  const state = before?.provider === embedder.provider ? 'building' : 'active'
  for (const { id, state: was } of others)
    if (was === 'building' || (was === 'active' && state === 'active'))
      await setSpaceState(tx, { id, state: 'retired' })
  if (found !== undefined) {
    if (found.state !== 'active') await setSpaceState(tx, { id: found.id, state })
    return found
  }
  const center = centerOf(vectors)
  return await insertSpace(tx, {
    identity: embedder.id,
    provider: embedder.provider,
    model: embedder.model,
    asked_dims: embedder.dims ?? null,
    dims: first?.length ?? 0,
    scheme: embedder.scheme,
    center: center === undefined ? null : bytesOf(center),
    state,
  })
}

/** Lets a space that is filled answer, in place of the one before. */
export async function switchTo(tx: Tx, identity: string): Promise<void> {
  const spaces = await listSpaces(tx, {})
  const filled = spaces.find((space) => space.identity === identity && space.state === 'building')
  if (filled === undefined) return
  for (const { id, state } of spaces)
    if (state === 'active') await setSpaceState(tx, { id, state: 'retired' })
  await setSpaceState(tx, { id: filled.id, state: 'active' })
}
