import { VERSION } from '../../../daemon/version.ts'
import { tryLine } from '../../install/canary.ts'
import type { Group } from '../check.ts'
import type { Scene } from '../scene.ts'
import { byPrecedence, hookedIn, wiredIn } from './settings.ts'

/** The status lines that are set here, the one that the client draws first. */
const linesIn = (scene: Scene) =>
  byPrecedence(scene.sources()).flatMap((source) => {
    const { statusLine: line } = wiredIn(source, 0)
    return line === undefined ? [] : [{ source, line }]
  })

/** Who has the plugin must not be told to install everything a second time. */
const notDrawn = (scene: Scene): string =>
  hookedIn(scene.sources()).some(({ kind }) => kind === 'plugin')
    ? 'Not drawn here: a plugin cannot bring it, and `holdfast init` does, instead of the plugin.'
    : 'Not drawn here: holdfast init --status-line'

export const statusLine: Group = {
  name: 'statusline',
  well(scene) {
    const [drawn, ...hidden] = linesIn(scene)
    if (drawn?.line.isOurs === true) return `Scope ${drawn.source.kind} draws it (${drawn.source.path}).`
    const ours = hidden.find(({ line }) => line.isOurs)
    return drawn === undefined || ours === undefined
      ? notDrawn(scene)
      : `${drawn.source.path} has a status line of its own, which hides the one of scope ${ours.source.kind}.`
  },
  checks: [
    {
      code: 'statusline-silent',
      severity: 'broken',
      finds: 'the status line was drawn as the client would draw it, and nothing came to the daemon',
      mends: 'holdfast init --scope SCOPE --status-line --yes',
      async look(scene) {
        const [drawn] = linesIn(scene)
        const { status } = await scene.reached()
        // A daemon of another version may not know what a canary is, and one without HTTP is told elsewhere.
        if (drawn?.line.isOurs !== true || status?.version !== VERSION || !status.http.listening) return []
        const { command } = drawn.line
        const { project, path, kind } = drawn.source
        const problem = await tryLine(scene.io, scene.remote, { command, project })
        if (problem === undefined) return []
        const fix = `holdfast init --scope ${kind} --status-line --yes`
        return [{ detail: `${path}: nothing comes through: ${problem}.`, fix }]
      },
    },
  ],
}
