import { type Diagnostic, diagnose } from '../model/diagnostic.ts'
import type { Disk } from './disk.ts'
import { findMentions, type Mention } from './mentions.ts'
import type { SkillSource } from './notations/frontend.ts'

/** Finds the files that the text says belong to the skill and that do not exist, each at its first mention. */
export function missingFiles(source: SkillSource, folder: string, disk: Disk): readonly Diagnostic[] {
  const { file } = source.main
  const folders = foldersUp(folder, disk.above)
  const first = new Map<string, Mention | undefined>()
  for (const mention of findMentions(source, HINT)) {
    const path = ownPath(mention, folder.split('/').at(-1) ?? '')
    if (path === undefined || first.get(path) !== undefined) continue
    const isThere = first.has(path) || isFound(path, mention, { folders, disk })
    first.set(path, isThere ? undefined : mention)
  }
  return [...first.values()].flatMap((mention) => {
    if (mention === undefined) return []
    const { path, line, column } = mention
    const code = /(^|\/)SKILL\.md$/i.test(path) ? 'HF122' : 'HF121'
    return [diagnose(code, { file, line, column }, `${path} does not exist.`)]
  })
}

/** The folder of the file and those above it, up to the repository. */
function foldersUp(folder: string, above: number): readonly string[] {
  const names = folder === '.' ? [] : folder.split('/')
  const below = names.map((_, index) => names.slice(0, names.length - index).join('/'))
  const outside = Array.from({ length: above }, (_, index) =>
    Array(index + 1)
      .fill('..')
      .join('/'),
  )
  return [...below, '.', ...outside]
}

interface Places {
  readonly folders: readonly string[]
  readonly disk: Disk
}

/** Skills are written for the folder of the plugin or repository as often as for their own. */
function isFound(path: string, { how }: Mention, { folders, disk }: Places): boolean {
  const isAt = (folder: string, name: string) => disk.exists(joined(folder, name))
  const [own = '.'] = folders
  if (path.startsWith('../')) return isAt(own, path)
  // An installed skill lies in a folder of its client.
  const installed = /^\.[a-z]+\/(skills\/(.+))$/.exec(path)
  const names = [path, ...(installed?.slice(1) ?? []), ...(how === 'link' ? [decoded(path)] : [])]
  return folders.some((folder) => names.some((name) => isAt(folder, name)))
}

const decoded = (path: string): string => path.replaceAll(/%20/g, ' ')

function joined(folder: string, path: string): string {
  const names = folder === '.' ? [] : folder.split('/')
  for (const name of path.split('/')) {
    if (name === '..' && names.length > 0 && names.at(-1) !== '..') names.pop()
    else if (name !== '.' && name !== '') names.push(name)
  }
  return names.join('/')
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
/** Lines without any of this name no file of a skill; most lines are skipped by it. */
const HINT = new RegExp(`\\]\\(|\\]:|(?:${FOLDERS}|bin|docs|hooks|root|dir|ROOT|DIR|Dir)\\}?/|\\./`)
/** Clients have a hidden folder in the project. */
const CLIENT_FOLDER = /^\.[a-z]+\/(skills|rules|scripts|agents|commands|references|templates)\//
const PROGRAM = /^bin\/[\w-]+(\.[a-z]+)?$/
const OTHERS_PROGRAM = /^bin\/(rails|rake|bundle|setup|dev|console|activate|bash|sh|env|python\d?|node)$/
/** Texts that lie beside the file; other files there are mostly of the user's project. */
const BESIDE = /^\.\/.*\.(md|txt|toml|ya?ml)$/

/** The path from a folder of the skill, or undefined if it is not one of its files. */
function ownPath(mention: Mention, name: string): string | undefined {
  const { path, how } = mention
  const bare = path.replace(ROOT, '').replace(PROJECT, '')
  if (bare === '' || PLACEHOLDER.test(bare) || /^[/~$%]/.test(bare)) return undefined
  const plain = bare.replace(/^\.\//, '')
  if (how === 'link') return /[./]/.test(plain) && !isExample(mention) ? plain : undefined
  const within = plain.replace(/^(\.\.\/)+/, '').replace(name === '' ? '' : `${name}/`, '')
  if (!FILE.test(within) && !PROGRAM.test(within)) return undefined
  return isPart(mention, within) && !isGiven(mention) ? plain : undefined
}

/** Whether a file in such a place belongs to the skill, by what is said of it. */
function isPart(mention: Mention, within: string): boolean {
  const { path, how } = mention
  if (ROOT.test(path)) return true
  if (PROGRAM.test(within)) return how === 'code' && !OTHERS_PROGRAM.test(within)
  if (FOLDER.test(within) || CLIENT_FOLDER.test(within)) return how !== 'command' || isRun(mention)
  if (how === 'command') return false
  if (within.startsWith('docs/')) return isPointedAt(mention)
  return within === 'hooks/hooks.json' || BESIDE.test(path)
}

const isExample = ({ before }: Mention): boolean =>
  /\b(e\.g\.|for example|for instance|such as|like|i\.e\.)[\s:,(`'"*]*[^.]{0,40}$/i.test(before) ||
  /(例如|例えば|比如|örneğin|예를 들어)[^。]{0,30}$/.test(before) ||
  /(❌|\b(bad|wrong|avoid):)[^.|]{0,30}$/i.test(before)

/** Whether an example or a result is named, not a file that must be there. */
const isGiven = (mention: Mention): boolean => isExample(mention) || isResult(mention)

const isResult = ({ before, after }: Mention): boolean =>
  isMade(before) ||
  /^[`"'\s]*(?:に|を|へ|'?[ye]?[ae]|에|를|을)?\s*(保存|生成|作成|書き込|kaydet|oluştur|저장|생성)/.test(
    after,
  ) ||
  /^[`"')\s]*(,?\s*if (it |they )?(exists?|present|available|found|any)|exists?\b|is (missing|created|written|generated))/i.test(
    after,
  )

/** Verbs before a file that the agent makes, and words before one that it is given. */
const MAKES =
  'creat\\w*|writ\\w*|sav\\w*|generat\\w*|produc\\w*|outputs?|stor\\w*|add\\w*|edit\\w*|modif\\w*|updat\\w*|append\\w*|export\\w*|emit\\w*|put|placed?|named?'
const TAKES =
  'reads?|see|load\\w*|follow\\w*|us(?:e|es|ing)|runs?|execut\\w*|per|from|against|cop(?:y|ies)|refer\\w*|consult\\w*|template|at|in|with|via'
const CHINESE = { makes: '创建|建立|写入|保存到|生成', takes: '读取|参见|使用|运行' }
const VERB = new RegExp(
  `(?<makes>\\b(?:${MAKES})\\b|${CHINESE.makes})|\\b(?:${TAKES})\\b|${CHINESE.takes}`,
  'gi',
)

/** The last verb of the sentence decides. */
function isMade(before: string): boolean {
  const sentence = before.split(/[.。;；]\s|\|/).at(-1) ?? ''
  return [...sentence.matchAll(VERB)].at(-1)?.groups?.['makes'] !== undefined
}

/** Whether a command runs or copies it. */
const isRun = ({ before }: Mention): boolean =>
  /(?:^|[\s"'`(&|;/])(?:python[\d.]*|node|bash|sh|zsh|source|swift|uv run|tsx|ts-node|bun(?: run)?|deno run|ruby|perl|php|cp(?: -\w+)?|cat)\s+(?:-m\s+\S+\s+|-\S+\s+)*["']?$/.test(
    before,
  )

const isPointedAt = ({ before }: Mention): boolean =>
  /(\bsee|\bsee also|\bread|参见|参照|参考|详见)[\s:：`*("']*$/i.test(before)
