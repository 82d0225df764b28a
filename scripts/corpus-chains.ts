import { chainIn, unknownAfter } from '../src/model/chain/chain-in.ts'
import type { ChainSkills } from '../src/model/chain/frame.ts'
import { render } from '../src/model/chain/render.ts'
import { linesOfText } from '../src/model/text/prose.ts'
import type { Parsed } from '../src/model/plan/definition.ts'
import { ownName } from '../src/model/skill.ts'

/** A piece of a text that a user could have typed. */
interface Piece {
  readonly text: string
  readonly line: number
  /** True inside a code fence. */
  readonly isCode: boolean
}

/** Reads each paragraph, line and list item of texts as a prompt, and tells which of them are chains, or have names that would be reported. */
export function chainsAmong(
  paths: readonly string[],
  textOf: (path: string) => string,
  parsed: readonly Parsed[],
): { readonly summary: Readonly<Record<string, number>>; readonly details: readonly string[] } {
  const skills = skillsOf(parsed)
  const counts = {
    texts: 0,
    prompts: 0,
    names: skills.names.length,
    called: 0,
    called_in_code: 0,
    explicit: 0,
    unknown: 0,
  }
  const details: string[] = []
  for (const path of paths.filter((one) => /\.md$/i.test(one))) {
    counts.texts++
    const seen = new Set<string>()
    for (const { text, line, isCode } of piecesOf(textOf(path)).flatMap(withoutMarks)) {
      if (seen.has(text)) continue
      seen.add(text)
      counts.prompts++
      const chain = chainIn(text, skills)
      const unknown = chain === undefined ? unknownAfter(text, skills) : []
      if (unknown.length > 0) {
        counts.unknown++
        details.push(`${path}:${line} unknown ${JSON.stringify(text)} has ${unknown.join(', ')}`)
      }
      if (chain === undefined) continue
      const called = isCode ? 'called_in_code' : 'called'
      const kind = chain.frames[0]?.level === 'explicit' ? 'explicit' : called
      counts[kind]++
      details.push(`${path}:${line} ${kind} ${JSON.stringify(text)} is ${JSON.stringify(render(chain))}`)
    }
  }
  return { summary: counts, details }
}

function skillsOf(parsed: readonly Parsed[]): ChainSkills {
  const callable = parsed.filter(({ definition }) => definition.kind !== 'agent')
  const names = [...new Set(callable.flatMap(({ definition: { id, name } }) => [id, name, ownName(id)]))]
  const known = new Set(names)
  return { knows: (name) => known.has(name), names }
}

/** Lines, list items with what belongs to them, and paragraphs. */
function piecesOf(text: string): readonly Piece[] {
  const pieces: Piece[] = []
  let paragraph: string[] = []
  let item: string[] = []
  let wasCode = false
  const end = (part: readonly string[], after: number) => {
    if (part.length > 1) pieces.push({ text: part.join('\n'), line: after - part.length, isCode: wasCode })
  }
  for (const { text: content, line, isCode } of [...linesOfText(text), LAST]) {
    pieces.push({ text: content, line, isCode })
    const isBlank = content.trim() === ''
    // The lines of a fence are a paragraph too, without the fence.
    const isEnd = isBlank || isCode !== wasCode || (isCode && FENCE.test(content))
    if (isEnd || ITEM.test(content)) {
      end(item, line)
      item = []
    }
    if (isEnd) {
      end(paragraph, line)
      paragraph = []
    }
    wasCode = isCode
    if (isBlank || (isCode && FENCE.test(content))) continue
    paragraph.push(content)
    item.push(content)
  }
  return pieces
}

const LAST = { text: '', line: 0, isCode: false } as const
const FENCE = /^[\s>]*(?:`{3}|~{3})/
const ITEM = /^\s*(?:[-*+]|\d{1,9}[.)])\s/

/** A piece as it is, without the mark of markdown before it, and without those inside, as a user would type it. */
function withoutMarks({ text, line, isCode }: Piece): readonly Piece[] {
  const bare = text.replace(/^[\s>#|]*(?:(?:[-*+]|\d{1,9}[.)])\s+)?(?:\[[ x]\]\s+)?/, '')
  const isParagraph = text
    .split('\n')
    .slice(1)
    .some((one) => ITEM.test(one))
  const one = isParagraph ? text : bare
  return [text, one, one.replaceAll(/`|\*\*/g, '').trim()].map((written) => ({ text: written, line, isCode }))
}
