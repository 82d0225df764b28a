import { type Diagnostic, diagnose, type Place, trustHint } from '../../model/diagnostic.ts'
import { shellWord } from '../../model/shell/word.ts'
import { withTexts } from '../../model/workflow/texts.ts'
import { MODULE_NAMES } from '../find.ts'
import type { SourceText } from '../text/text.ts'
import type { Found, Frontend } from './frontend.ts'
import { exportPlace } from './workflow/places.ts'
import { readWorkflow } from './workflow/plan.ts'

/** A module that exports its plan as data. The caller decides whether to run it, because it is code. */
export const workflowModule: Frontend = {
  name: 'workflow',
  read({ main, files, modules }) {
    const [name, ...others] = MODULE_NAMES.filter((one) => files.has(one))
    const source = name === undefined ? undefined : files.get(name)
    if (name === undefined || source === undefined) return undefined
    const top = exportPlace(source)
    const unread = others.map((other) =>
      diagnose('HF210', top, `${other} is ignored because ${name} exists.`),
    )
    const loaded = modules.get(name)
    if (loaded === undefined) return without([untrusted(main, name, top), ...unread])
    if (!('error' in loaded)) {
      const { plan, diagnostics } = readWorkflow(loaded.exported, source)
      const { texts = {} } = loaded
      return { plan: plan && withTexts(plan, texts), diagnostics: [...diagnostics, ...unread] }
    }
    const line = loaded.line ?? lineOfImport(loaded.error, source)
    const place = source.lines[line - 1] === undefined ? top : { ...top, line }
    return without([diagnose('HF206', place, `${name} could not be loaded: ${loaded.error}`), ...unread])
  },
}

/** A skill is called by the name of its folder. */
function untrusted({ file }: SourceText, module: string, place: Place): Diagnostic {
  const [, skill] = /([^/]+)\/[^/]+$/.exec(file) ?? []
  const command = skill === undefined ? undefined : trustHint(shellWord(skill))
  return diagnose('HF208', place, `${module} was not run, because its code is not trusted.`, command)
}

/** An import error names the import but not its line, so this searches for it. */
function lineOfImport(error: string, { lines }: SourceText): number {
  const name = /^It imports (.+), which /.exec(error)?.[1]
  return name === undefined ? 0 : lines.findIndex((line) => line.includes(name)) + 1
}

/** A module with an error has no plan, because half a plan would be wrong. */
const without = (diagnostics: readonly Diagnostic[]): Found => ({ plan: undefined, diagnostics })
