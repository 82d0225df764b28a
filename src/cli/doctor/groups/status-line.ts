import { VERSION } from '../../../daemon/version.ts'
import { tryLine } from '../../install/canary.ts'
import { clientWords } from '../../install/place.ts'
import type { Group, Problem } from '../check.ts'
import type { Scene } from '../scene.ts'
import { byClient, type Source } from '../sources.ts'
import { byPrecedence, hookedIn, wiredIn } from './settings.ts'

/** The sources of each client that draws a status line. */
const drawing = (scene: Scene): readonly (readonly Source[])[] =>
  byClient(scene.sources()).filter(([first]) => first?.client.statusLine !== undefined)

/** The status lines that one client has here, the one that it draws first. */
const linesIn = (sources: readonly Source[]) =>
  byPrecedence(sources).flatMap((source) => {
    const { statusLine: line } = wiredIn(source, 0)
    return line === undefined ? [] : [{ source, line }]
  })

/** Who has the plugin must not be told to install everything a second time. */
const notDrawn = (sources: readonly Source[]): string =>
  hookedIn(sources).some(({ kind }) => kind === 'plugin')
    ? 'Not drawn here: a plugin cannot bring it, and `holdfast init` does, instead of the plugin.'
    : `Not drawn here: holdfast init${sources[0] === undefined ? '' : clientWords(sources[0].client)} --status-line`

function stateOf(sources: readonly Source[]): string {
  const [drawn, ...hidden] = linesIn(sources)
  if (drawn?.line.isOurs === true) return `Scope ${drawn.source.kind} draws it (${drawn.source.path}).`
  const ours = hidden.find(({ line }) => line.isOurs)
  return drawn === undefined || ours === undefined
    ? notDrawn(sources)
    : `${drawn.source.path} has a status line of its own, which hides the one of scope ${ours.source.kind}.`
}

async function silence(scene: Scene, sources: readonly Source[]): Promise<readonly Problem[]> {
  const [drawn] = linesIn(sources)
  if (drawn?.line.isOurs !== true) return []
  const { client, project, path, kind } = drawn.source
  const problem = await tryLine(scene.io, scene.remote, { client, command: drawn.line.command, project })
  if (problem === undefined) return []
  const fix = `holdfast init${clientWords(client)} --scope ${kind} --status-line --yes`
  return [{ detail: `${path}: nothing comes through: ${problem}.`, fix }]
}

export const statusLine: Group = {
  name: 'statusline',
  well: (scene) => drawing(scene).map(stateOf).join(' '),
  checks: [
    {
      code: 'statusline-silent',
      severity: 'broken',
      finds: 'the status line was drawn as the client would draw it, and nothing came to the daemon',
      mends: 'holdfast init --scope SCOPE --status-line --yes',
      async look(scene) {
        const { status } = await scene.reached()
        // A daemon of another version may not know what a canary is, and one without HTTP is told elsewhere.
        if (status?.version !== VERSION || !status.http.listening) return []
        const problems: Problem[] = []
        for (const sources of drawing(scene)) problems.push(...(await silence(scene, sources)))
        return problems
      },
    },
  ],
}
