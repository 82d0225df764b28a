/** A time that passes, unless nobody waits for it any more. */
export function after(milliseconds: number) {
  const { promise: passed, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  return { passed, forget: () => clearTimeout(timer) }
}
