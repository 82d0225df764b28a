/** No workflow needs more levels, and whoever walks through it must not overflow the stack. */
const DEEPEST = 32

/** True if what a module exports is nested too deeply. Looks level by level, for the same reason. */
export function isDeep(value: unknown): boolean {
  let level = [value]
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth++)
    level = level.flatMap((one): unknown[] =>
      typeof one === 'object' && one !== null ? Object.values(one) : [],
    )
  return level.length > 0
}
