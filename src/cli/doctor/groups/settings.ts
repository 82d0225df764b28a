import { type Obstacle, SCOPES, type Way } from '../../../model/client-settings.ts'
import { shellWord } from '../../../model/shell/word.ts'
import { freeName } from '../../../daemon/free-name.ts'
import { enableBy, type Risk, risksOf } from '../../install/warnings.ts'
import type { Check, Group, Problem } from '../check.ts'
import type { Scene } from '../scene.ts'
import { byClient, type Source } from '../sources.ts'

/** Kinds of settings, highest precedence first. */
const PRECEDENCE = ['managed', 'local', 'project', 'user'] as const

/** The settings files, highest precedence first. */
export const byPrecedence = (sources: readonly Source[]): readonly Source[] =>
  PRECEDENCE.flatMap((kind) => sources.filter((source) => source.kind === kind))

export const wiredIn = ({ client, text }: Source) => client.settings.read(text)

/** The routes by which the hooks of a settings file call the daemon. */
export const waysOf = (source: Source): readonly Way[] => wiredIn(source).ways

/** The sources that contain our hooks. */
export const hookedIn = (sources: readonly Source[]): readonly Source[] =>
  sources.filter((source) => waysOf(source).length > 0)

/** The obstacles of one kind in a settings file, each with the command that removes it. */
const obstaclesOf = (source: Source, kind: Obstacle['kind']): readonly Problem[] =>
  wiredIn(source)
    .obstacles.filter((one) => one.kind === kind)
    .map(({ says }) => ({ detail: `${source.path}: ${says}`, fix: fixOf(source, kind) }))

function fixOf({ client, kind, renew }: Source, obstacle: Obstacle['kind']): string {
  const scope = SCOPES.find((one) => one === kind)
  return scope === undefined || obstacle === 'managed' ? renew : enableBy({ client, scope })
}

const disabled = (scene: Scene): readonly Problem[] => byClient(scene.sources()).flatMap(disabledIn)

function disabledIn(sources: readonly Source[]): readonly Problem[] {
  const deciding = byPrecedence(sources).find((source) => wiredIn(source).off !== undefined)
  return deciding === undefined ? [] : obstaclesOf(deciding, 'disabled')
}

function managed(scene: Scene): readonly Problem[] {
  return scene
    .sources()
    .filter(({ kind }) => kind === 'managed')
    .flatMap((source) => obstaclesOf(source, 'managed'))
}

const risk = (code: Risk['code'], finds: string, mends: string): Check => ({
  code,
  severity: 'warning',
  finds,
  mends,
  look: (scene) =>
    hookedIn(scene.sources())
      .flatMap((source) => {
        const { kind, project, path, mode } = source
        const scope = SCOPES.find((one) => one === kind)
        return scope === undefined
          ? []
          : risksOf(scene.io, { scope, project, path, mode, ways: waysOf(source) })
      })
      .filter((one) => one.code === code),
})

export const settings: Group = {
  name: 'settings',
  well(scene) {
    const paths = scene.sources().flatMap(({ path, text }) => (text === '' ? [] : path))
    return paths.length === 0
      ? 'The client has no settings yet.'
      : `The hooks are not blocked in ${paths.join(', ')}.`
  },
  checks: [
    {
      code: 'settings-unreadable',
      severity: 'broken',
      finds: 'a settings file is not valid JSON, so the client ignores it',
      mends: 'mv FILE FILE.broken',
      look: (scene) =>
        scene.sources().flatMap(({ path, problem }) =>
          problem === undefined
            ? []
            : [
                {
                  detail: problem.startsWith(path) ? problem : `${path}: ${problem}`,
                  fix: `mv ${shellWord(path)} ${shellWord(freeName(path, 'broken'))}`,
                },
              ],
        ),
    },
    {
      code: 'settings-comments',
      severity: 'broken',
      finds: 'a settings file contains comments or trailing commas, so the client ignores the whole file',
      mends: 'holdfast hooks enable --scope SCOPE',
      look: (scene) => scene.sources().flatMap((source) => obstaclesOf(source, 'unread')),
    },
    {
      code: 'hooks-disabled',
      severity: 'broken',
      finds: 'the settings with the highest precedence disable all hooks',
      mends: 'holdfast hooks enable --scope SCOPE',
      look: disabled,
    },
    {
      code: 'hooks-managed',
      severity: 'broken',
      finds: 'the organization allows only its own hooks, or only hooks from plugins',
      mends: 'sudoedit FILE, by the administrator',
      look: managed,
    },
    {
      code: 'permission-broad',
      severity: 'broken',
      finds: 'settings of an older version let agents run every holdfast command, and so any code, unasked',
      mends: 'holdfast init --scope SCOPE --yes',
      look: (scene) =>
        hookedIn(scene.sources())
          .filter((source) => wiredIn(source).allowsAnything === true)
          .map(({ path, renew }) => ({
            detail: `${path} lets agents run every holdfast command without asking, and so any code.`,
            fix: renew,
          })),
    },
    risk('token-readable', 'other users can read the token in settings', 'chmod 600 FILE'),
    risk(
      'token-committed',
      'git tracks or does not ignore settings that contain a token',
      'git rm --cached FILE && echo FILE >>.gitignore',
    ),
    risk(
      'program-vanishing',
      'hooks call a program in the npx cache, which npm can delete',
      'holdfast init --scope SCOPE',
    ),
  ],
}
