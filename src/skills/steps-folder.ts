import { type Diagnostic, diagnose } from '../model/diagnostic.ts'
import { type Plan, ROOT_ARTIFACTS, type Step } from '../model/plan.ts'
import type { Found, Frontend, SkillSource } from './frontend.ts'
import { type Frontmatter, readFrontmatter } from './frontmatter.ts'
import { readBlocks } from './markdown.ts'
import { type Bare, inSequence } from './sequence.ts'
import type { SourceText } from './text.ts'
import { isTrue, namesOf, textOf } from './values.ts'

interface StepFile {
  readonly path: string
  readonly stem: string
  readonly source: SourceText
  readonly frontmatter: Frontmatter
  readonly title: string
}

const STEP_PATH = /^steps(?:-\w+)?\/([^/]+)\.md$/i
const NUMBERED = /^step-(?:[a-z]-)?(\d+)([a-z]?)(?:-|$)/i

/** Step files: led by what they consume and produce, by pointers to the next, or by the numbers in their names. */
export const stepsFolder: Frontend = {
  name: 'steps',
  read(source) {
    const files = stepFiles(source)
    if (files.length === 0) return undefined
    const faults = files.flatMap(({ frontmatter }) => frontmatter.diagnostics)
    const found = byContracts(files, source) ?? byPointers(files) ?? byNumbers(files)
    return found === undefined ? undefined : { ...found, diagnostics: [...faults, ...found.diagnostics] }
  },
}

function stepFiles({ files }: SkillSource): readonly StepFile[] {
  return [...files]
    .flatMap(([path, source]) => {
      const stem = STEP_PATH.exec(path)?.[1]
      if (stem === undefined) return []
      const frontmatter = readFrontmatter(source)
      const heading = readBlocks(source, frontmatter.bodyLine).find((block) => block.kind === 'heading')
      return [{ path, stem, source, frontmatter, title: heading?.kind === 'heading' ? heading.text : stem }]
    })
    .toSorted((a, b) => a.path.localeCompare(b.path, 'en', { numeric: true }))
}

const plan = (steps: readonly Step[], more: Partial<Plan>): Plan => ({
  notation: 'steps',
  explicit: true,
  gate: 'visited',
  entry: [],
  steps,
  ...more,
})

const bare = (file: StepFile): Bare => ({
  id: file.stem,
  label: file.stem,
  title: file.title,
  optional: isTrue(file.frontmatter.fields.get('optional')?.value),
  consumes: [],
  produces: [],
  proof: [],
  place: { file: file.source.file, line: 1, column: 1 },
})

function byContracts(files: readonly StepFile[], source: SkillSource): Found | undefined {
  const contracted = files.filter(
    ({ frontmatter }) => frontmatter.fields.has('consumes') || frontmatter.fields.has('produces'),
  )
  if (contracted.length === 0) return undefined
  const diagnostics: Diagnostic[] = []
  const steps = contracted.map((file): Step => {
    const [consumes, produces] = (['consumes', 'produces'] as const).map((key) =>
      artifacts(file, key, diagnostics),
    )
    const fanOut = namesOf(file.frontmatter.fields.get('fan-out')?.value)
    const line =
      file.frontmatter.fields.get('consumes')?.place.line ??
      file.frontmatter.fields.get('produces')?.place.line ??
      1
    return {
      ...bare(file),
      consumes: consumes ?? [],
      produces: produces ?? [],
      ...(fanOut.length > 0 && { fanOut }),
      place: { file: file.source.file, line, column: 1 },
    }
  })
  return { plan: plan(steps, {}), diagnostics: [...diagnostics, ...proseOrder(steps, source)] }
}

function artifacts(
  file: StepFile,
  key: 'consumes' | 'produces',
  diagnostics: Diagnostic[],
): readonly string[] {
  const field = file.frontmatter.fields.get(key)
  if (typeof field?.value === 'string')
    diagnostics.push(
      diagnose(
        'HF114',
        field.place,
        `${key} is a text, which is read as a list.`,
        `Write ${key}: [${namesOf(field.value).join(', ')}].`,
      ),
    )
  return namesOf(field?.value)
}

/** The text that tells the agent what to read must not send it into a step before what that step needs. */
function proseOrder(steps: readonly Step[], { main }: SkillSource): readonly Diagnostic[] {
  const told = new Map<string, number>()
  for (const [index, line] of main.lines.entries())
    for (const [, stem = ''] of line.matchAll(/steps(?:-\w+)?\/([\w.-]+?)\.md/g))
      if (!told.has(stem)) told.set(stem, index + 1)
  return steps.flatMap((step) => {
    const line = told.get(step.id)
    const late = steps.find(
      (producer) =>
        !producer.optional &&
        producer.produces.some(
          (artifact) => step.consumes.includes(artifact) && !ROOT_ARTIFACTS.includes(artifact),
        ) &&
        (told.get(producer.id) ?? 0) > (line ?? Infinity),
    )
    if (line === undefined || late === undefined) return []
    const artifact = late.produces.find((name) => step.consumes.includes(name)) ?? ''
    const message = `The text reads ${step.id} before ${late.id} (line ${told.get(late.id)}), but the plan is ${late.id} → ${artifact} → ${step.id}.`
    return [diagnose('HF310', { file: main.file, line, column: 1 }, message)]
  })
}

/** `nextStepFile` makes a linked list; its values are templates, of which only the file name is sure. */
function byPointers(files: readonly StepFile[]): Found | undefined {
  const pointers = files.map((file) => ({ file, targets: pointersOf(file) }))
  if (pointers.every(({ targets }) => targets.length === 0)) return undefined
  const diagnostics: Diagnostic[] = []
  const byPath = new Map(files.map((file) => [file.path.toLowerCase(), file]))
  const pointed = new Set<string>()
  const steps = pointers.map(({ file, targets }): Step => {
    const next = targets.flatMap(({ stem, place }) => {
      const folder = file.path.slice(0, file.path.lastIndexOf('/'))
      const target =
        byPath.get(`${folder}/${stem}.md`.toLowerCase()) ?? files.find((one) => one.stem === stem)
      if (target === undefined)
        diagnostics.push(diagnose('HF312', place, `${file.path} points at ${stem}.md, which does not exist.`))
      else pointed.add(target.path)
      return target === undefined ? [] : [target.path]
    })
    return { ...bare(file), id: file.path, next: { ok: [...new Set(next)] } }
  })
  const entry = steps.filter((step) => !pointed.has(step.id)).map(({ id }) => id)
  return {
    plan: plan(steps, { explicit: false, entry: entry.length > 0 ? entry : [steps[0]?.id ?? ''] }),
    diagnostics,
  }
}

function pointersOf({ frontmatter }: StepFile) {
  return [...frontmatter.fields]
    .filter(([key]) => key.replaceAll('-', '').startsWith('nextstepfile'))
    .flatMap(([, field]) => {
      const stem = /([^/{}\s'"]+)\.md\b/.exec(textOf(field) ?? '')?.[1]
      return stem === undefined ? [] : [{ stem, place: field.place }]
    })
}

/** Numbered names: `01b` is a branch beside `01`, not its successor. */
function byNumbers(files: readonly StepFile[]): Found | undefined {
  const numbered = files.filter(({ stem }) => NUMBERED.test(stem))
  if (numbered.length < 2) return undefined
  const steps = inSequence(
    numbered.map((file) => {
      const [, number = '', branch = ''] = NUMBERED.exec(file.stem) ?? []
      return { ...bare(file), id: file.path, label: `${Number(number)}${branch}`, optional: branch !== '' }
    }),
  )
  const first = steps[0]?.id ?? ''
  return { plan: plan(steps, { explicit: false, entry: [first] }), diagnostics: [] }
}
