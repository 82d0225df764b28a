import { type Diagnostic, diagnose } from '../../model/diagnostic.ts'
import { MODULE_NAMES } from '../find.ts'
import type { SourceText } from '../text/text.ts'
import type { Found, Frontend } from './frontend.ts'
import { exportPlace } from './workflow/places.ts'
import { readWorkflow } from './workflow/plan.ts'

/** A module that exports its plan as data. The caller decides whether to run it, because it is code. */
export const workflowModule: Frontend = {
  name: 'workflow',
  read({ files, modules }) {
    const [name, ...others] = MODULE_NAMES.filter((one) => files.has(one))
    const source = name === undefined ? undefined : files.get(name)
    if (name === undefined || source === undefined) return undefined
    const top = exportPlace(source)
    const unread = others.map((other) =>
      diagnose('HF210', top, `${other} is ignored because ${name} exists.`),
    )
    const loaded = modules.get(name)
    if (loaded === undefined) return without([diagnose('HF208', top, `${name} was not run.`), ...unread])
    if (!('error' in loaded)) {
      const { plan, diagnostics } = readWorkflow(loaded.exported, source)
      return { plan, diagnostics: [...diagnostics, ...unread] }
    }
    const line = loaded.line ?? lineOfImport(loaded.error, source)
    const place = source.lines[line - 1] === undefined ? top : { ...top, line }
    return without([diagnose('HF206', place, `${name} could not be loaded: ${loaded.error}`), ...unread])
  },
}

/** An import error names the import but not its line, so this searches for it. */
function lineOfImport(error: string, { lines }: SourceText): number {
  const name = /^It imports (.+), which /.exec(error)?.[1]
  return name === undefined ? 0 : lines.findIndex((line) => line.includes(name)) + 1
}

/** A module with an error has no plan, because half a plan would be wrong. */
const without = (diagnostics: readonly Diagnostic[]): Found => ({ plan: undefined, diagnostics })
