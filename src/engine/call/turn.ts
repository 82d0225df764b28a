const turns = new Map<string, Promise<unknown>>()

/** Runs work under the same name one after the other. */
export async function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
  const before = turns.get(name)
  const mine = (async () => {
    await before?.catch(() => undefined)
    return await work()
  })()
  turns.set(name, mine)
  try {
    return await mine
  } finally {
    if (turns.get(name) === mine) turns.delete(name)
  }
}
