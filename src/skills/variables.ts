import { isFlag } from '../model/plan/flags.ts'
import type { Plan } from '../model/plan/plan.ts'
import { isVariableName } from '../model/plan/step-fields.ts'
import { fieldsOf, isRecord } from './text/values.ts'

type Plain = string | number | boolean | null

const isPlain = (value: unknown): value is Plain =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value)

/** Values of variables, by name. */
export const areValues = (value: unknown): boolean =>
  isRecord(value) && Object.keys(value).every(isVariableName) && Object.values(value).every(isPlain)

/** The values as text, because commands and guards compare text; wrong ones are left out. */
export const valuesOf = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(fieldsOf(value)).flatMap(([name, one]) =>
      isVariableName(name) && isPlain(one) ? [[name, String(one ?? '')] as const] : [],
    ),
  )

/** Values of variables, by the flag that sets them. */
export const areFlags = (value: unknown): boolean =>
  isRecord(value) && Object.entries(value).every(([flag, set]) => isFlag(flag) && areValues(set))

export const flagsOf = (value: unknown): NonNullable<Plan['flags']> =>
  Object.fromEntries(
    Object.entries(fieldsOf(value)).flatMap(([flag, set]) =>
      isFlag(flag) ? [[flag, valuesOf(set)] as const] : [],
    ),
  )

/** What flags set although no variable has that name: it would change nothing. */
export function strayValues(values: Readonly<Record<string, unknown>>): readonly string[] {
  const declared = valuesOf(values['variables'])
  const set = Object.values(flagsOf(values['flags'])).flatMap((one) => Object.keys(one))
  return [...new Set(set)].filter((name) => !Object.hasOwn(declared, name))
}
