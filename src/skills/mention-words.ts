import type { Mention } from './mentions.ts'

/** Whether the text gives the file as an example. */
export const isExample = ({ before }: Mention): boolean =>
  /\b(e\.g\.|for example|for instance|such as|like|i\.e\.)[\s:,(`'"*]*[^.]{0,40}$/i.test(before) ||
  /(例如|例えば|比如|örneğin|예를 들어)[^。]{0,30}$/.test(before) ||
  /(❌|\b(bad|wrong|avoid):)[^.|]{0,30}$/i.test(before)

/** Whether the text says that the agent makes the file, or that it may be absent. */
export const isResult = ({ before, after }: Mention): boolean =>
  OUTPUT.test(lastVerb(before)) ||
  /^[`"'\s]*(?:に|を|へ|'?[ye]?[ae]|에|를|을)?\s*(保存|生成|作成|書き込|kaydet|oluştur|저장|생성)/.test(
    after,
  ) ||
  MAYBE.test(after)

const MAYBE =
  /^[`"')\s]*(,?\s*\(?if (it |they )?(exists?|present|available|found|any)|exists?\b|is (missing|created|written|generated))/i

const VERBS =
  /\b((?:creat|writ|sav|generat|produc|stor|updat|execut)(?:e|es|ed|ing)|written|(?:add|edit|append|export|emit|load|follow|refer|consult)(?:s|t?ed|t?ing)?|outputs?|modif\w+|put|placed?|named?|reads?|see|us(?:e|es|ing)|runs?|per|from|against|cop(?:y|ies)|template|at|in|with|via)\b|创建|建立|写入|保存到|生成|读取|参见|使用|运行/gi
const OUTPUT =
  /^(creat|writ|sav|generat|produc|output|stor|add|edit|modif|updat|append|export|emit|put|place|name|创建|建立|写入|保存到|生成)/i
/** The names of other files hold no verb. */
function lastVerb(before: string): string {
  const clause = before.split(/[.。;；]\s|\|/).at(-1) ?? ''
  return [...clause.replaceAll(/[\w.-]+\/[\w./-]+/g, '').matchAll(VERBS)].at(-1)?.[0] ?? ''
}

/** Whether a command runs or reads it. */
export const isRun = ({ path, before }: Mention): boolean =>
  /(?:^|[\s"'`(&|;/])(?:python[\d.]*|node|bash|sh|zsh|source|swift|uv run|tsx|ts-node|bun(?: run)?|deno run|ruby|perl|php|cp(?: -\w+)?|cat)\s+(?:-m\s+\S+\s+|-\S+\s+)*["']?$/.test(
    before,
  ) ||
  /(?:\n|[&|;(])\s*(?!(?:git|ls|touch|mkdir|chmod|rm|mv|echo|wc|test|grep|vim|code|pytest)\s)[a-z][\w-]*\s+(?:-\S+\s+)*["']?$/.test(
    before,
  ) ||
  (path.startsWith('./') && /(?:\n|[&|;(])\s*(?:\$\s+)?$/.test(before))

/** Whether the text tells the agent to run the script. */
export const isScript = ({ path, before, after }: Mention): boolean =>
  /\.(?:sh|py|mjs)$/.test(path) &&
  /\b(run|execute) the[\s`*]*$/i.test(before) &&
  /^[`*]*\s+script\b/.test(after)

/** The last words before a file; patterns that end there need not search the rest. */
const wordsBefore = ({ before }: Mention): string => before.slice(-30)

/** Whether the text sends the reader to the file. */
export function isPointedAt(mention: Mention): boolean {
  const { path, after } = mention
  const words = wordsBefore(mention)
  return (
    (POINTER.test(words) ||
      /^[`*"')]*\s*(?:を(?:ご)?参照|[을를] 참조|is the (?:authority|source of truth))/.test(after) ||
      // A file without a folder is often one that the agent wrote, unless the text says what it is for.
      (READ.test(words) && (path.includes('/') || /^[`*"')]*\s+for\b/.test(after)))) &&
    !MAYBE.test(after)
  )
}

const POINTER =
  /(\bsee|\bsee also|\bper|\bconsult|\brefer to|\breference:|参见|參見|参照|参考|详见|詳見|阅读|閱讀|\bbkz\.?)[\s:：`*("']*$/i
const READ = /\b(read|load)[\s:`*("']*$/i

/** Whether the text says that the file lies with the skill. */
export const isHere = ({ before, after }: Mention): boolean =>
  before.endsWith('@') ||
  /^[`*"')]*\s+in (?:this (?:skill )?(?:directory|folder|skill)|`?(?:references|scripts|assets|templates)\/)/.test(
    after,
  )

/** Whether the text uses a template of that name. */
export const isTemplate = (mention: Mention): boolean =>
  /template/i.test(mention.path) &&
  /\b(from|use|using|read|load|copy)[\s:`*("']*$/i.test(wordsBefore(mention))

/** Whether the text tells the user to edit the settings of the skill. */
export const isSettings = ({ path, before, after }: Mention): boolean =>
  /^config\.(json|ya?ml|toml)$/.test(path) &&
  (/(\bedit|编辑|編輯)[\s`*]*$/i.test(before) || /^[`*]*\s*(を編集|을 편집|dosyasını düzenle)/.test(after))
