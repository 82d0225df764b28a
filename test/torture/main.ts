import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { keepCompiled } from '../holdfast.ts'
import { type Form, usageOf } from './forms/form.ts'
import { forms } from './forms/index.ts'

const [, , name = '', ...words] = process.argv
const chosen = forms.find((form) => form.name === name)
if (chosen === undefined) {
  for (const form of forms) console.error(`${usageOf(form)}\n    ${form.summary}`)
  process.exitCode = 64
} else {
  keepCompiled()
  process.on('SIGINT', () => process.exit(130))
  process.exitCode = (await isGood(chosen, words)) ? 0 : 1
}

async function isGood(form: Form, args: readonly string[]): Promise<boolean> {
  const begun = Date.now()
  const log = (line: string) =>
    console.log(`${String(Math.round((Date.now() - begun) / 1000)).padStart(5)} s  ${line}`)
  const given = optionsOf(form, args)
  console.log(`torture ${form.name} ${JSON.stringify(given)}`)
  const { violations, counts = {} } = await form.run({ ...given, log } as Parameters<Form['run']>[0])
  for (const violation of violations) console.log(violation)
  log(`${JSON.stringify(counts)}, ${violations.length} violations`)
  return violations.length === 0
}

/** The options of a form as given, else their defaults; a file is named from the current folder. */
function optionsOf({ options }: Form, args: readonly string[]): Readonly<Record<string, number | string>> {
  const known = Object.keys(options).map((option) => [option, { type: 'string' as const }])
  const { values } = parseArgs({ args: [...args], options: Object.fromEntries(known) as Known })
  const given = Object.entries(options).map(([option, value]) => {
    const word = values[option]
    if (word === undefined) return [option, value]
    return [option, typeof value === 'number' ? Number(word) : resolve(word)]
  })
  return Object.fromEntries(given) as Record<string, number | string>
}

type Known = Record<string, { readonly type: 'string' }>
