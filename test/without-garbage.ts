/** Loaded before a program with `--expose-gc`: the memory that it tells is what it still holds. */
process.memoryUsage.rss = () => {
  globalThis.gc?.()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
