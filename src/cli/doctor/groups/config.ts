import { freeName } from '../../../daemon/free-name.ts'
import { type ConfigFile, projectConfigPath, readConfigFile } from '../../../files/config.ts'
import { shellWord } from '../../../model/shell/word.ts'
import { projectFolder } from '../../install/place.ts'
import type { Group } from '../check.ts'
import type { Scene } from '../scene.ts'

const filesOf = ({ home, io }: Scene): readonly ConfigFile[] => [
  readConfigFile(home.config, 'user'),
  readConfigFile(projectConfigPath(projectFolder(io, {})), 'project'),
]

/** Faulty settings have their usual values, so nobody notices them. */
export const config: Group = {
  name: 'config',
  well: () => undefined,
  checks: [
    {
      code: 'config-faulty',
      severity: 'warning',
      finds: 'a config file has an unknown setting or a wrong value, which is ignored',
      mends: 'holdfast config unset KEY, or mv FILE FILE.broken',
      look: (scene) =>
        filesOf(scene).flatMap(({ path, owner, faults }) =>
          faults.map(({ line, name, message }) => ({
            detail: `${path}:${line}: ${message}`,
            fix:
              name === undefined
                ? `mv ${shellWord(path)} ${shellWord(freeName(path, 'broken'))}`
                : `holdfast config unset ${shellWord(name)}${owner === 'project' ? ' --project' : ''}`,
          })),
        ),
    },
  ],
}
