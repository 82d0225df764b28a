/** `--tests-pass`, `--tests_pass` and `--testsPass` are one field, whichever of them the skill declares. */
export function proofField(flag: string, asked: readonly string[]): string | undefined {
  const plain = (name: string) => name.replaceAll(/[-_]/g, '').toLowerCase()
  return asked.find((one) => one === flag) ?? asked.find((one) => plain(one) === plain(flag))
}

/** true, false, numbers, lists and objects are what they say; everything else is text. */
export function proofValue(text: string): unknown {
  const isData = /^(true|false|-?\d+(\.\d+)?([eE][+-]?\d+)?|[[{][^]*)$/.test(text.trim())
  if (!isData) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
