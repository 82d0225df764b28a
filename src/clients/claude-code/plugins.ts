import type { ClientPlugins, InstalledPlugin } from '../../model/client-files.ts'
import { fieldsOf, listOf } from './fields.ts'
import { FINDER, pluginHooks } from './handlers.ts'
import { PLUGIN } from './plugin.ts'

const OFFERS = '.claude-plugin/marketplace.json'

/** The plugins of Claude Code, including ours; other clients read the same format. */
export const plugins: ClientPlugins = {
  manifest: '.claude-plugin/plugin.json',
  list: 'plugins/installed_plugins.json',
  installed,
  hooks: (folder) => ({ path: `${folder}/hooks/hooks.json`, env: { CLAUDE_PLUGIN_ROOT: folder } }),
  marketplaces: 'plugins/known_marketplaces.json',
  readFrom,
  offers: OFFERS,
  offered,
  program: FINDER,
  moveTo: (key, folder) =>
    key === `${PLUGIN}@${PLUGIN}` ? `claude plugin marketplace add ${folder}` : undefined,
  update: (key) => `claude plugin update ${key}`,
  disable: (key) => `claude plugin disable ${key}`,
  files({ version, license }) {
    const about = (name: string, description: string) => ({
      name,
      version,
      description,
      author: AUTHOR,
      license,
    })
    return {
      'plugin/.claude-plugin/plugin.json': about(PLUGIN, DESCRIPTION),
      'contents/.claude-plugin/plugin.json': about(SKILLS_PLUGIN, OF_SKILLS),
      'plugin/hooks/hooks.json': { description: DESCRIPTION, hooks: pluginHooks() },
      [OFFERS]: {
        name: PLUGIN,
        description: 'Holdfast, the durable engine for agent skills.',
        owner: AUTHOR,
        plugins: [
          { name: PLUGIN, source: './plugin', description: DESCRIPTION },
          { name: SKILLS_PLUGIN, source: './contents', description: OF_SKILLS },
        ],
      },
    }
  },
}

const AUTHOR = { name: 'Holdfast' }
const DESCRIPTION =
  'Keeps agents on the steps of their skills and their state safe through compaction, crashes and restarts.'

/** A plugin of their own, because the descriptions of all skills are in the context of every session. */
const SKILLS_PLUGIN = `${PLUGIN}-skills`
const OF_SKILLS =
  'The skills of Holdfast and their agents: from a design over plans and reviews to a commit. Needs the plugin holdfast, or holdfast init.'

/** The list maps `name@marketplace` to one or more `{installPath, projectPath?}`. */
function installed(
  list: string | undefined,
  settings: readonly (string | undefined)[],
  project: string,
): readonly InstalledPlugin[] {
  const said = settings.map((text) => fieldsOf(fieldsOf(parsed(text))['enabledPlugins']))
  return Object.entries(fieldsOf(fieldsOf(parsed(list))['plugins'])).flatMap(([key, value]) => {
    if (said.map((one) => one[key]).findLast((one) => one !== undefined) === false) return []
    const name = key.split('@')[0] ?? key
    const places = (Array.isArray(value) ? value : [value]).map(fieldsOf)
    return places
      .filter(({ projectPath }) => projectPath === undefined || projectPath === project)
      .flatMap(({ installPath }) =>
        typeof installPath === 'string' && installPath.startsWith('/')
          ? [{ name, key, folder: installPath }]
          : [],
      )
      .slice(0, 1)
  })
}

/** The list maps the name of a marketplace to `{source: {source, path?}}`. */
function readFrom(marketplaces: string | undefined, key: string): string | undefined {
  const known = fieldsOf(parsed(marketplaces))[key.slice(key.indexOf('@') + 1)]
  const { source, path } = fieldsOf(fieldsOf(known)['source'])
  return source === 'directory' && typeof path === 'string' && path.startsWith('/') ? path : undefined
}

/** Relative paths of plugins begin with `./`; other sources are not in the folder. */
function offered(offers: string | undefined, name: string): string | undefined {
  const one = listOf(fieldsOf(parsed(offers))['plugins']).map(fieldsOf)
  const source = one.find((plugin) => plugin['name'] === name)?.['source']
  return typeof source === 'string' && source.startsWith('./') ? source : undefined
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}
