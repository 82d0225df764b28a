import { type Diagnostic, diagnose, type Place } from '../../model/diagnostic.ts'
import { MOST_STEPS, type Plan, type Step } from '../../model/plan/plan.ts'
import { applyFields, finder, STEP_FIELDS, type StepFault } from '../../model/plan/step-fields.ts'
import { contractFaults, inOrderOfArtifacts } from '../contracts.ts'
import { STEP_PATH } from '../find.ts'
import type { Found, Frontend, SkillSource } from './frontend.ts'
import { type Field, type Frontmatter, readFrontmatter } from '../text/frontmatter.ts'
import { readBlocks } from '../text/markdown.ts'
import { stepFaults, withFaults } from '../step-faults.ts'
import { byName, type SourceText } from '../text/text.ts'
import { given, unknownFields } from '../text/typed-fields.ts'
import { isTrue, namesOf, textOf } from '../text/values.ts'

interface StepFile {
  readonly path: string
  readonly folder: string
  readonly stem: string
  readonly source: SourceText
  readonly frontmatter: Frontmatter
  readonly title: string
}

/** `step-01-init`, `step-v-02b-parity`, `01-setup`, `step-1-2`, `cycle-1-2-test`, `phase1-step2`. */
const NUMBERED =
  /^(?:phase-?(\d+)-)?(?:(?:step|cycle)[-_]?)?(?:[a-z][-_])?(\d+)(?:[-.](\d+))?([a-z]?)(?=[-_.]|$)/i

/** Step files, ordered by their artifacts, their next-step pointers, or the numbers in their names. */
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
      const [, folder, stem] = STEP_PATH.exec(path) ?? []
      if (folder === undefined || stem === undefined) return []
      const frontmatter = readFrontmatter(source)
      const heading = readBlocks(source, frontmatter.bodyLine).find((block) => block.kind === 'heading')
      const title = heading?.kind === 'heading' ? heading.text : stem
      return [{ path, folder, stem, source, frontmatter, title }]
    })
    .toSorted((a, b) => byName(a.path, b.path))
}

const plan = (steps: readonly Step[], more: Partial<Plan>): Plan => ({
  notation: 'steps',
  explicit: true,
  gate: 'visited',
  entry: [],
  steps,
  ...more,
})

const bare = (file: StepFile): Step => ({
  id: file.stem,
  label: file.stem,
  title: file.title,
  optional: isTrue(fieldOf(file, 'optional')?.value),
  consumes: [],
  produces: [],
  proof: [],
  place: { file: file.source.file, line: 1, column: 1 },
})

/** A field of a step file; keys of frontmatter are lower case. */
const fieldOf = ({ frontmatter: { fields } }: StepFile, key: string): Field | undefined =>
  fields.get(key.toLowerCase()) ?? fields.get(withHyphens(key))

const withHyphens = (key: string): string => key.replaceAll(/[A-Z]/g, '-$&').toLowerCase()

/** Files that people put beside steps on purpose. */
const NO_STEP = /(^|[-_.])(readme|index|overview|notes?|templates?|examples?)$/i

const isContracted = ({ frontmatter: { fields } }: StepFile): boolean =>
  fields.has('consumes') || fields.has('produces')

function byContracts(files: readonly StepFile[], source: SkillSource): Found | undefined {
  if (!files.some(isContracted)) return undefined
  // A step that only outcomes lead to needs no contract.
  const isMeant = (file: StepFile) =>
    isContracted(file) || STEP_FIELDS.some((key) => fieldOf(file, key) !== undefined)
  const contracted = files.filter(isMeant)
  const diagnostics: Diagnostic[] = files
    .filter((file) => !isMeant(file) && !NO_STEP.test(file.stem))
    .map(({ path, source: { file } }) =>
      diagnose(
        'HF323',
        { file, line: 1, column: 1 },
        `${path} has neither consumes nor produces, so the plan leaves it out.`,
      ),
    )
  const steps = contracted.map((file): Step => {
    const { fields } = file.frontmatter
    diagnostics.push(...strangeFields(file))
    const fanOut = namesOf(fields.get('fan-out')?.value)
    return {
      ...bare(file),
      consumes: artifacts(file, 'consumes', diagnostics),
      produces: artifacts(file, 'produces', diagnostics),
      ...(fanOut.length > 0 && { fanOut }),
      place: (fields.get('consumes') ?? fields.get('produces'))?.place ?? bare(file).place,
    }
  })
  // No plan has so many, and to order them would take long.
  if (steps.length > MOST_STEPS) return { plan: plan(steps, {}), diagnostics }
  const said = withOwnFields(steps, contracted, ({ stem }) => stem)
  const ordered = inOrderOfArtifacts(said.steps)
  return {
    plan: withFaults(plan(ordered, {}), said.faults),
    diagnostics: [
      ...diagnostics,
      ...stepFaults(said.faults, said.placeOf),
      ...contractFaults(ordered, source),
    ],
  }
}

/** Fields that describe a step file to people and to other programs. */
const DESCRIBING = ['name', 'title', 'description', 'metadata', 'fan-out']

/** Reports fields that mean nothing; authors may write `onLimit`, `on_limit` or `on-limit`. */
function strangeFields({ stem, frontmatter: { fields } }: StepFile): readonly Diagnostic[] {
  const known = [...DESCRIBING, 'consumes', 'produces', ...STEP_FIELDS]
  const spelled = new Set(known.flatMap((key) => [key.toLowerCase(), withHyphens(key)]))
  return [...fields]
    .filter(([key]) => !spelled.has(key) && !isPointer(key))
    .flatMap(([key, { place }]) => unknownFields(`Step ${stem}`, [key], { known, code: 'HF324', place }))
}

/** Reads the fields of step files; targets may be named by file. */
function withOwnFields(steps: readonly Step[], files: readonly StepFile[], idOf: (file: StepFile) => string) {
  const fileOf = new Map(files.map((file) => [idOf(file), file]))
  const byStem = finder(files.map((file) => ({ ...bare(file), id: idOf(file) })))
  const byLabel = finder(steps)
  const written = ({ id }: Step) => {
    const file = fileOf.get(id)
    return file === undefined
      ? undefined
      : Object.fromEntries(STEP_FIELDS.map((key) => [key, fieldOf(file, key)?.value]))
  }
  const applied = applyFields(steps, written, (name) => byStem(name) ?? byLabel(name))
  const placeOf = ({ step, key }: StepFault): Place => {
    const file = fileOf.get(step.id)
    return (file === undefined ? undefined : fieldOf(file, key)?.place) ?? step.place
  }
  return { ...applied, placeOf }
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
        `${key} is a string; it is read as a list.`,
        `Write ${key}: [${namesOf(field.value).join(', ')}].`,
      ),
    )
  else if (field !== undefined && field.value !== null && !Array.isArray(field.value))
    diagnostics.push(
      diagnose('HF114', field.place, `${key} must be a list of names, not ${given(field.value)}.`),
    )
  return [...new Set(namesOf(field?.value))]
}

/** `nextStepFile` makes a linked list; its values are templates, so only the file name is reliable. */
function byPointers(files: readonly StepFile[]): Found | undefined {
  const pointers = files.map((file) => ({ file, targets: pointersOf(file.frontmatter) }))
  if (pointers.every(({ targets }) => targets.length === 0)) return undefined
  const diagnostics: Diagnostic[] = []
  const resolve = resolver(files)
  const pointed = new Set<string>()
  // A file without a pointer and a number, such as a template, is not a step.
  const steps = pointers
    .filter(({ file, targets }) => targets.length > 0 || NUMBERED.test(file.stem))
    .map(({ file, targets }): Step => {
      const next = targets.flatMap((pointer) => {
        const target = resolve(file, pointer)
        if (target === undefined)
          diagnostics.push(
            diagnose(
              'HF312',
              pointer.place,
              `${file.path} points to ${pointer.stem}.md, which does not exist.`,
            ),
          )
        else pointed.add(target.path)
        return target === undefined ? [] : [target.path]
      })
      return { ...bare(file), id: file.path, next: { ok: [...new Set(next)] } }
    })
  const ids = new Set(steps.map(({ id }) => id))
  const more = files.filter(({ path }) => pointed.has(path) && !ids.has(path))
  const all = [...steps, ...more.map((file) => ({ ...bare(file), id: file.path, next: { ok: [] } }))]
  const entry = all.filter((step) => !pointed.has(step.id)).map(({ id }) => id)
  const said = withOwnFields(all, files, ({ path }) => path)
  return {
    plan: plan(said.steps, { explicit: false, entry: entry.length > 0 ? entry : [all[0]?.id ?? ''] }),
    diagnostics: [...diagnostics, ...stepFaults(said.faults, said.placeOf, 'HF114')],
  }
}

interface Pointer {
  readonly folder: string | undefined
  readonly stem: string
  readonly place: Place
}

/** Matches only at the start of a name; otherwise a long text takes quadratic time. */
const POINTER = /(?<![^/{}\s'"])(?:([^/{}\s'"]+)\/)?([^/{}\s'"]+)\.md\b/

const isPointer = (key: string): boolean => key.replaceAll('-', '').startsWith('nextstepfile')

/** The next-step pointers of a step file; it may have several, one for each mode. */
export function pointersOf({ fields }: Frontmatter): readonly Pointer[] {
  return [...fields]
    .filter(([key]) => isPointer(key))
    .flatMap(([, field]) => {
      const [, folder, stem] = POINTER.exec(textOf(field) ?? '') ?? []
      return stem === undefined ? [] : [{ folder, stem, place: field.place }]
    })
}

/** Looks in the folder that the pointer names, then beside the file, then everywhere. */
function resolver(files: readonly StepFile[]): (from: StepFile, to: Pointer) => StepFile | undefined {
  const byPath = new Map(files.map((file) => [file.path.toLowerCase(), file]))
  const byStem = new Map(files.toReversed().map((file) => [file.stem.toLowerCase(), file]))
  return (from, { folder, stem }) =>
    byPath.get(`${folder ?? ''}/${stem}.md`.toLowerCase()) ??
    byPath.get(`${from.folder}/${stem}.md`.toLowerCase()) ??
    byStem.get(stem.toLowerCase())
}

/** Orders by number: each folder is a separate procedure, and `01b` is a branch beside `01`. */
function byNumbers(files: readonly StepFile[]): Found | undefined {
  const numbered = files.filter(({ stem }) => NUMBERED.test(stem))
  if (numbered.length < 2) return undefined
  const procedures = [...Map.groupBy(numbered, ({ folder }) => folder).values()].map(branching)
  const steps = procedures.flatMap((procedure) => procedure.steps)
  const said = withOwnFields(steps, numbered, ({ path }) => path)
  return {
    plan: plan(said.steps, { explicit: false, entry: procedures.flatMap(({ entry }) => entry) }),
    diagnostics: stepFaults(said.faults, said.placeOf, 'HF114'),
  }
}

function branching(files: readonly StepFile[]): Pick<Plan, 'entry' | 'steps'> {
  const groups = [...Map.groupBy(files, ({ stem }) => numberOf(stem)).entries()]
  const heads = groups.map(([, group]) => {
    const main = group.filter(({ stem }) => branchOf(stem) === '')
    // Without a main file, the branches are alternatives.
    return (main.length > 0 ? main.slice(0, 1) : group).map(({ path }) => path)
  })
  const steps = groups.flatMap(([number, group], at) =>
    group.map((file): Step => {
      const branch = branchOf(file.stem)
      const isOptional = branch !== '' || bare(file).optional
      const onward = heads[at + 1] ?? []
      const isHead = (heads[at] ?? []).length === 1 && heads[at]?.[0] === file.path
      const beside = isHead ? group.map(({ path }) => path).filter((path) => path !== file.path) : []
      return {
        ...bare(file),
        id: file.path,
        label: `${number}${branch}`,
        optional: isOptional,
        next: { ok: [...beside, ...onward], ...(isOptional && { skip: onward }) },
      }
    }),
  )
  return { entry: heads[0] ?? [], steps }
}

function numberOf(stem: string): string {
  const [, phase, first, second] = NUMBERED.exec(stem) ?? []
  return [phase, first, second]
    .filter((part) => part !== undefined)
    .map(Number)
    .join('.')
}

const branchOf = (stem: string): string => (NUMBERED.exec(stem)?.[4] ?? '').toLowerCase()
