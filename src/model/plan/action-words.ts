/** A blank to fill in; it does not pass as proof. */
export const UNFILLED = '____'

/** A blank as a word of a command; a sentence may take its place. */
export const BLANK = `'${UNFILLED}'`

/** Stands between the values of which a command takes one. */
export const CHOICE = '|'

/** The end of a command that needs a reason. */
export const REASON = ` --reason ${BLANK}`

/** The flag that ends an effort with a result. */
export const RESULT = ' --result '

/** A value of a workflow that is still to be given. */
const VALUE = new RegExp(` --(?:param|set) '?[\\w-]+=(?:${UNFILLED}|[^' ]*\\|[^']*)'?`, 'g')

/** How to fill in the blanks of these commands, as sentences; none if they have no blank. */
export function fillIn(commands: readonly string[]): readonly string[] {
  const wantsResult = commands.some((one) => one.includes(RESULT))
  const wantsProof = commands.some(
    (one) => !one.includes(RESULT) && one.replaceAll(REASON, '').replaceAll(VALUE, '').includes(UNFILLED),
  )
  const wantsValue = commands.some((one) => one.search(VALUE) !== -1)
  const wantsReason = commands.some((one) => one.includes(REASON))
  return [
    ...(wantsProof ? [`Replace ${UNFILLED} with what shows it.`] : []),
    ...(wantsResult ? ['Write the values of the result after --result.'] : []),
    ...(wantsValue ? ['Write the value in place of what stands after =.'] : []),
    ...(wantsReason
      ? [`Replace ${UNFILLED} with ${wantsProof ? 'the reason after --reason' : 'the reason'}.`]
      : []),
  ]
}

/** Who runs these commands and what they still need, as sentences after a refusal. */
export const remarksOn = (commands: readonly string[]): readonly string[] => [
  ...(commands.some(isForUser) ? ['Ask the user: only the user can run the command that follows.'] : []),
  ...fillIn(commands),
]

/** True for an action that reports a failure, which is never the way on. */
export const isFailing = (action: string): boolean => action.startsWith('holdfast step fail ')

/** True for an action that ends a step with an outcome of its own. */
export const isOtherOutcome = (action: string): boolean =>
  action.startsWith('holdfast step done ') && action.includes(' --outcome ')

/** True for an action that leaves out an optional step. */
export const isSkip = (action: string): boolean => action.startsWith('holdfast step skip ')

/** True for an action that only the user can do. */
export const isForUser = (action: string): boolean => /^holdfast (?:effort approve|skill trust) /.test(action)
