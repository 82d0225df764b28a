import type { Hints, Mention } from './mentions.ts'
import {
  isExample,
  isHere,
  isPointedAt,
  isResult,
  isRun,
  isScript,
  isSettings,
  isTemplate,
} from './mention-words.ts'
import { INSTRUCTIONS } from './places.ts'

/** What the folders around a skill say about paths. */
interface Around {
  /** The name of the skill's folder. */
  readonly name: string
  /** Whether a folder of this name holds a skill. */
  readonly isSkill: (name: string) => boolean
}

/** Stands for the folder of the skill, of its plugin or of the project. */
const ROOT =
  /^(?:\$\{?(?:[A-Z]+_)?(?:PLUGIN_ROOT|SKILL_DIR|SKILL_ROOT)\}?|\{(?:skill|plugin)[-_]?(?:root|dir)\}|\{base_?dir\})\//i
const PROJECT = /^\$\{?(?:[A-Z]+_)?PROJECT_DIR\}?\/(?=\.[a-z]+\/)/
/** Ends in a name with an extension. */
const FILE = /^(?:[\w@%+.-]+\/)*[\w@%+.-]+\.[a-z][a-z0-9]{0,7}$/i
/** A path that stands for any file. */
const PLACEHOLDER = /(^|\/)(path\/to|foo|bar|my[-_]|your[-_]|example\.)|[<>{}*…|=\\:[\]]|\.\.\.|XX|YYYY|NNN/i
const FOLDERS =
  'references?|scripts|assets|templates?|examples|resources|steps|workflows|agents|prompts|sections|checklists|conventions|rules|schemas|skills|commands|servers|guides|modules|patterns'
const FOLDER = new RegExp(`^(${FOLDERS})/`)
/** The folders of a part of the repository, but not those of code, tests or documents. */
const NESTED =
  /^(?!(?:src|apps?|lib|libs|docs?|tests?|packages|public|dist|build|target|node_modules|\.[a-z]+)\/)[\w-]+\/(references|scripts|assets|templates)\//
const HINT = new RegExp(
  `\\]\\(|\\]:|(?:${FOLDERS}|bin|docs|hooks|plugins|root|dir|ROOT|DIR|Dir)\\}?/|\\./|/[\\w-]+\\.(?:md|py|sh|[mc]?[jt]s)`,
)
const NAME = /\.(?:md|txt|dot|csv|json|ya?ml|toml|html|py|sh|m?js)(?![\w-]|\.\w)/

/** What lines need to name a file of a skill. */
export const HINTS: Hints = {
  command: (line) => line.includes('/') && HINT.test(line),
  prose: (line) => (line.includes('/') ? HINT.test(line) : line.includes('](')) || NAME.test(line),
}

/** Clients have a hidden folder in the project. */
const CLIENT_FOLDER = /^\.[a-z]+\/(skills|rules|scripts|agents|commands|references|templates|plugins)\//
const PROGRAM = /^(?:bin\/[\w-]+(\.[a-z]+)?|scripts\/\w+(-\w+)+)$/
const OTHERS_PROGRAM = /^bin\/(rails|rake|bundle|setup|dev|console|activate|bash|sh|env|python\d?|node)$/
/** Texts that lie beside the file; other files there are mostly of the user's project. */
const BESIDE = /^\.\/[^/]+\.(md|txt|toml|ya?ml)$/
const ANY_BESIDE = /^\.\/[^/]+$/
/** Texts in folders that are not those of code. */
const TEXT = /^(?!src\/|tests?\/|\.)[\w./-]+\.(md|json|ya?ml|txt)$/
const PLUGIN_FILE = /^(hooks\/[\w-]+\.(json|md|sh|py)|docs\/examples\/[\w./-]+)$/
/** Names that every project has; a skill that names them means those of the project. */
const PROJECT_FILE =
  /^(README|CHANGELOG|CONTRIBUTING|LICENSE|SECURITY|TODOS?|DESIGN|ARCHITECTURE|CONTEXT|MEMORY|STRATEGY|PRODUCT|CONCEPTS|SOUL|SKILL|PLAN|SPEC|PRD|TASKS?|NOTES|PROGRESS|STATUS|REPORT|FEEDBACK|ROADMAP|REQUIREMENTS|INDEX|package|package-lock|tsconfig|pyproject|Cargo|composer|settings)\.\w+$/i

/** The path from a folder of the skill, or undefined if it is not one of its files. */
export function ownPath(mention: Mention, around: Around): string | undefined {
  const { path, how } = mention
  const bare = path.replace(ROOT, '').replace(PROJECT, '')
  if (bare === '' || PLACEHOLDER.test(bare) || /^[/~$%]/.test(bare)) return undefined
  const plain = bare.replace(/^\.\//, '')
  if (how === 'link') return /[./]/.test(plain) && !isExample(mention) ? plain : undefined
  if (!path.includes('/')) return isBeside(mention) ? plain : undefined
  const within = plain.replace(/^(\.\.\/)+/, '')
  if (!FILE.test(within) && !PROGRAM.test(within)) return undefined
  return isPart(mention, within, around) && !isExample(mention) && !isResult(mention) ? plain : undefined
}

/** Whether a file without a folder lies beside the skill, by what is said of it. */
const isBeside = (mention: Mention): boolean =>
  // Libraries have such names: Next.js.
  (isHere(mention) ||
    (!mention.path.endsWith('.js') &&
      (isPointedAt(mention) || isTemplate(mention) || isSettings(mention)))) &&
  !INSTRUCTIONS.test(mention.path) &&
  !PROJECT_FILE.test(mention.path) &&
  !isExample(mention)

/** Whether a file in such a place belongs to the skill, by what is said of it. */
function isPart(mention: Mention, within: string, { name, isSkill }: Around): boolean {
  const { path, how } = mention
  if (ROOT.test(path)) return true
  if (PROGRAM.test(within)) return how === 'code' && !OTHERS_PROGRAM.test(within)
  const own = name === '' ? within : within.replace(`${name}/`, '')
  if (FOLDER.test(own) || CLIENT_FOLDER.test(within) || NESTED.test(within))
    return how !== 'command' || isRun(mention)
  if (how === 'command') return false
  if (PLUGIN_FILE.test(within) || BESIDE.test(path) || isScript(mention)) return true
  if ((TEXT.test(within) || ANY_BESIDE.test(path)) && isPointedAt(mention)) return true
  const [first = '', second = '', ...rest] = within.split('/')
  return second !== '' && (isSkill(first) || (rest.length > 0 && isSkill(`${first}/${second}`)))
}
