/** The declared field that a flag names; `--tests-pass`, `--tests_pass` and `--testsPass` are equal. */
export function proofField(flag: string, asked: readonly string[]): string | undefined {
  const plain = (name: string) => name.replaceAll(/[-_]/g, '').toLowerCase()
  return asked.find((one) => one === flag) ?? asked.find((one) => plain(one) === plain(flag))
}

/** Parses booleans, numbers, lists and objects; everything else is text. */
export function proofValue(text: string): unknown {
  const isData = /^(true|false|-?\d+(\.\d+)?([eE][+-]?\d+)?|[[{][^]*)$/.test(text.trim())
  if (!isData) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}
