/** A timeout that can be canceled. */
export function after(milliseconds: number) {
  const { promise: passed, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, milliseconds)
  return { passed, forget: () => clearTimeout(timer) }
}
